/** The puzzles, decided from their prompts cell by cell: places are counted through, and rules are looked at pairwise. */
import type { SecondChecker } from '../../../data/index.ts';
import { cellsOf } from './grids.ts';
import { asked } from './notation.ts';

/** A square answer as one text of its cells, each one character; undefined where it is no such square. */
function flat(answer: string, size: number): string | undefined {
  const cells = cellsOf(answer, size, size)?.flat();
  return cells?.every(({ length }) => length === 1) ? cells.join('') : undefined;
}

/** Whether every two different places of a square keep a rule. */
function everyPair(size: number, keeps: (a: number, b: number) => boolean): boolean {
  for (let a = 0; a < size * size; a++) for (let b = 0; b < a; b++) if (!keeps(a, b)) return false;
  return true;
}

const row = (place: number, size: number): number => Math.floor(place / size);

/** Every way to fill a sudoku of sixteen cells, place by place. */
function sudokuSolutions(cells: string): string[] {
  const place = cells.indexOf('_');
  const clash = (a: number, b: number): boolean =>
    row(a, 4) === row(b, 4) || a % 4 === b % 4 || (row(a, 8) === row(b, 8) && row(a % 4, 2) === row(b % 4, 2));
  if (place < 0) return [cells];
  return [...'1234']
    .filter((digit) => ![...cells].some((other, b) => other === digit && clash(place, b)))
    .flatMap((digit) => sudokuSolutions(cells.slice(0, place) + digit + cells.slice(place + 1)));
}

const solved = new Map<string, readonly string[]>();

export const PUZZLES: Readonly<Record<string, SecondChecker>> = {
  mini_sudoku({ prompt }, answer) {
    const cells = (asked(prompt, /^([1-4_/]{19})>$/)[0] as string).replaceAll('/', '');
    const solutions = solved.get(cells) ?? sudokuSolutions(cells);
    solved.set(cells, solutions);
    if (solutions.length !== 1) throw new RangeError(`${prompt} has ${solutions.length} solutions`);
    const joined = /^[ \t\r\n]*([1-4]{16})[ \t\r\n]*$/.exec(answer)?.[1];
    return (joined ?? flat(answer, 4)) === solutions[0];
  },

  futoshiki({ prompt }, answer) {
    const lines = (asked(prompt, /^([1-9_/<>^v.]+)>$/)[0] as string).split('/');
    const size = (lines.length + 1) / 2;
    const cells = flat(answer, size);
    if (cells === undefined || [...cells].some((cell) => !(cell >= '1' && cell <= String(size)))) return false;
    const signs = new Map([
      ['<', -1],
      ['^', -1],
      ['>', 1],
      ['v', 1],
    ]);
    return everyPair(size, (a, b) => {
      const [first, second] = [cells[b] as string, cells[a] as string];
      const [y, x] = [row(b, size), b % size];
      const given = lines[2 * y]?.[2 * x];
      if (given !== '_' && given !== first) return false;
      const last = lines[2 * row(a, size)]?.[2 * (a % size)];
      if (last !== '_' && last !== second) return false;
      if ((row(a, size) === y || a % size === x) && first === second) return false;
      const sign =
        a === b + 1 && row(a, size) === y ? lines[2 * y]?.[2 * x + 1] : a === b + size ? lines[2 * y + 1]?.[x] : '.';
      const asks = signs.get(sign as string);
      return asks === undefined || Math.sign(Number(first) - Number(second)) === asks;
    });
  },

  kakurasu({ prompt }, answer) {
    const [rows = [], columns = []] = asked(prompt, /^kaku ([0-9 ]+)\/([0-9 ]+)>$/).map((text) =>
      text.split(' ').map(Number),
    );
    const size = rows.length;
    const cells = flat(answer, size);
    if (cells === undefined || /[^01]/.test(cells)) return false;
    const left = [...rows];
    const under = [...columns];
    [...cells].forEach((cell, place) => {
      if (cell === '0') return;
      (left[row(place, size)] as number) -= (place % size) + 1;
      (under[place % size] as number) -= row(place, size) + 1;
    });
    return [...left, ...under].every((rest) => rest === 0);
  },

  n_queens({ prompt }, answer) {
    const given = asked(prompt, /^([Q./]+)>$/)[0] as string;
    const size = given.split('/').length;
    const cells = flat(answer, size);
    if (cells === undefined || /[^Q.]/.test(cells)) return false;
    if (cells.split('Q').length !== size + 1) return false;
    if ([...given.replaceAll('/', '')].some((cell, place) => cell === 'Q' && cells[place] !== 'Q')) return false;
    return everyPair(size, (a, b) => {
      if (cells[a] !== 'Q' || cells[b] !== 'Q') return true;
      const [dy, dx] = [row(a, size) - row(b, size), (a % size) - (b % size)];
      return dy !== 0 && dx !== 0 && dy !== dx && dy !== -dx;
    });
  },

  binairo({ prompt }, answer) {
    const given = asked(prompt, /^([01_/]+)>$/)[0] as string;
    const size = given.split('/').length;
    const cells = flat(answer, size);
    if (cells === undefined || /[^01]/.test(cells)) return false;
    if ([...given.replaceAll('/', '')].some((cell, place) => cell !== '_' && cells[place] !== cell)) return false;
    const numbers = Array.from({ length: size }, (_, i) => i);
    const down = numbers.map((x) => numbers.map((y) => cells[y * size + x]).join(''));
    const across = numbers.map((y) => cells.slice(y * size, (y + 1) * size));
    const inBalance = (line: string): boolean => [...line].filter((cell) => cell === '1').length === size / 2;
    const lines = [...across, ...down];
    const repeats = (all: readonly string[]): boolean => all.some((line, i) => all.indexOf(line) !== i);
    return lines.every((line) => inBalance(line) && !/(.)\1\1/.test(line)) && !repeats(across) && !repeats(down);
  },
};
