/** Rows of bench/arena/results.json in words, for the pages of the methods that they are about. */
import { readFileSync } from 'node:fs';

/** The task that most rows are on. */
const USUAL = 'countdown';

/** @returns by id of a method, what its first row came to in few words; undefined where it has none */
export function arenaWords() {
  const rows = readRows();
  return (id) => {
    const own = rows.filter(({ of }) => of[0] === id);
    const found = own.find(({ task }) => task === USUAL) ?? own[0];
    if (found === undefined) return undefined;
    return `${found.task === USUAL ? '' : `${found.task} `}${figure(found.difference)}`;
  };
}

/** @returns by id of a method, a line for each of its rows */
export function arenaLines() {
  const rows = readRows();
  return (id) =>
    rows
      .filter(({ of }) => of.includes(id))
      .map(
        ({ task, block, row, difference, greedy, pass, holm, passHolm, passBest }) =>
          `- ${task}, ${block}, row ${row}: mean@16 ${figure(difference)}, greedy ${figure(greedy)}, pass@16 ${figure(pass)}${besideBest(passBest)}; Holm's p of mean@16 ${holm.toFixed(3)}, of pass@16 ${passHolm.toFixed(3)}`,
      );
}

/** Where the baseline is better at another rate, how the row compares with that. */
function besideBest(best) {
  if (best === null) return '';
  const [rate, ...difference] = best;
  return ` (beside the baseline at ${rate} of its rate ${figure(difference)})`;
}

function readRows() {
  return JSON.parse(readFileSync(new URL('../bench/arena/results.json', import.meta.url), 'utf8')).rows;
}

function figure([mean, low, high]) {
  return `${signed(mean)} (${signed(low)} to ${signed(high)})`;
}

function signed(value) {
  const points = (100 * value).toFixed(1);
  return value < 0 ? points.replace('-', '−') : `+${points}`;
}
