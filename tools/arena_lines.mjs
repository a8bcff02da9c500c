/** Rows of bench/arena/results.json in words, for the pages of the methods that they are about. */
import { readFileSync } from 'node:fs';

/** @returns by id of a method, a line for each of its rows */
export function arenaLines() {
  const { rows } = JSON.parse(readFileSync(new URL('../bench/arena/results.json', import.meta.url), 'utf8'));
  return (id) =>
    rows
      .filter(({ of }) => of.includes(id))
      .map(
        ({ task, block, row, difference, greedy, pass, holm }) =>
          `- ${task}, ${block}, row ${row}: mean@16 ${figure(difference)}, greedy ${figure(greedy)}, pass@16 ${figure(pass)}; Holm's p of the first ${holm.toFixed(3)}`,
      );
}

function figure([mean, low, high]) {
  return `${signed(mean)} (${signed(low)} to ${signed(high)})`;
}

function signed(value) {
  const points = (100 * value).toFixed(1);
  return value < 0 ? points.replace('-', '−') : `+${points}`;
}
