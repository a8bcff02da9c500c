/** The tasks of graphs, decided from their prompts by trying everything. */
import type { SecondChecker } from '../../../src/data/index.ts';
import { asked, bare } from './notation.ts';

/** One-character pieces, joined or separated by a space or a comma in one way. */
function pieces(answer: string, allowed: string): string[] | undefined {
  const text = bare(answer);
  if (text.length > 4096) return undefined;
  for (const separator of ['', ' ', ',', ', ']) {
    const parts = text.split(separator);
    if (parts.every((part) => part.length === 1 && allowed.includes(part))) return parts;
  }
  return undefined;
}

export const GRAPHS: Readonly<Record<string, SecondChecker>> = {
  shortest_path({ prompt }, answer) {
    const rows = (asked(prompt, /^([SG.#/]+)>$/)[0] as string).split('/');
    const [width, cells] = [rows[0]?.length as number, rows.join('')];
    const at = (cell: number, move: string): number | undefined => {
      const [y, x] = [Math.floor(cell / width), cell % width];
      const [ny, nx] = [y + (move === 'D' ? 1 : move === 'U' ? -1 : 0), x + (move === 'R' ? 1 : move === 'L' ? -1 : 0)];
      const kind = nx < 0 || nx >= width ? undefined : cells[ny * width + nx];
      return ny < 0 || kind === undefined || kind === '#' ? undefined : ny * width + nx;
    };
    // Wave by wave: which cells can be reached in so many moves.
    let wave = new Set([cells.indexOf('S')]);
    const seen = new Set(wave);
    let length = 0;
    const goal = cells.indexOf('G');
    while (wave.size > 0 && !wave.has(goal)) {
      const next = [...wave]
        .flatMap((cell) => [...'UDLR'].map((move) => at(cell, move)))
        .filter((cell) => cell !== undefined && !seen.has(cell));
      wave = new Set(next as number[]);
      for (const cell of wave) seen.add(cell);
      length++;
    }
    if (bare(answer) === 'none') return wave.size === 0;
    const moves = pieces(answer, 'UDLR');
    if (moves === undefined || wave.size === 0 || moves.length !== length) return false;
    let cell: number | undefined = cells.indexOf('S');
    for (const move of moves) cell = cell === undefined ? undefined : at(cell, move);
    return cell === goal;
  },

  topological_order({ prompt }, answer) {
    const pairs = (asked(prompt, /^topo ([1-9 ]+)>$/)[0] as string).split(' ');
    const courses = [...new Set(pairs.join(''))].sort().join('');
    const order = pieces(answer, courses);
    if (order === undefined || [...order].sort().join('') !== courses) return false;
    return pairs.every((pair) => order.join('').search(pair[0] as string) < order.join('').search(pair[1] as string));
  },
};
