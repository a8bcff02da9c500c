/**
 * A sudoku of four rows: each of 1 to 4 once in each row, column and block of two by two. Each has one solution.
 *
 *   split       by hash of the puzzle, its digits renamed in their order: no held-out puzzle is a trained one renamed
 *
 * There are 288 solved grids, so that the solutions of a puzzle are found by looking at them all.
 */
import { inLine, inLines, lineTask, type Rows } from '../../kit.ts';
import { columnsOf, filledGridMisses, HOLE, judgeFilledGrid, repeats } from '../../puzzle.ts';
import { type MiniSudokuKnobs, miniSudokuCard } from './card.ts';

export type MiniSudokuItem = { readonly rows: Rows };

const DIGITS = '1234';
const CELLS = 16;

const isWhole = (unit: string): boolean => !repeats(unit);
const blocksOf = (rows: Rows): Rows =>
  [0, 2].flatMap((y) =>
    [0, 2].map((x) =>
      rows
        .slice(y, y + 2)
        .map((row) => row.slice(x, x + 2))
        .join(''),
    ),
  );

/** Every solved grid, as a text of sixteen digits, in ascending order. */
function solvedGrids(): string[] {
  let lines = [''];
  for (let column = 0; column < 4; column++) lines = lines.flatMap((line) => DIGITS.split('').map((one) => line + one));
  lines = lines.filter(isWhole);
  let grids: Rows[] = [[]];
  for (let row = 0; row < 4; row++) {
    grids = grids.flatMap((rows) => lines.map((line) => [...rows, line])).filter(mayGoOn);
  }
  return grids.map((rows) => rows.join(''));
}

/** No digit twice in a column, nor in a block that is whole. */
function mayGoOn(rows: Rows): boolean {
  const last = rows[rows.length - 1] as string;
  const above = rows.slice(0, -1);
  if (above.some((row) => row.split('').some((digit, x) => digit === last[x]))) return false;
  return rows.length % 2 === 1 || blocksOf([...rows, ...rows].slice(-4)).every(isWhole);
}

let allSolved: readonly string[] | undefined;

/** The solved grids that a puzzle, a text of sixteen cells, leaves. */
function solutionsOf(cells: string): readonly string[] {
  allSolved ??= solvedGrids();
  const clues = cells.split('').flatMap((cell, place) => (cell === HOLE ? [] : [place]));
  return allSolved.filter((grid) => clues.every((place) => grid[place] === cells[place]));
}

const solutionOf = ({ rows }: MiniSudokuItem): string => solutionsOf(rows.join(''))[0] as string; // each puzzle has one
const asRows = (cells: string): Rows => [0, 4, 8, 12].map((start) => cells.slice(start, start + 4));

/** Digits renamed in the order in which they are met. */
function renamed(rows: Rows): string {
  const met: string[] = [];
  return inLine(rows).replace(/[1-4]/g, (digit) => {
    if (!met.includes(digit)) met.push(digit);
    return DIGITS[met.indexOf(digit)] as string;
  });
}

export const miniSudoku = lineTask<MiniSudokuItem, MiniSudokuKnobs>(miniSudokuCard, {
  characters: `${DIGITS}${HOLE}/>`,
  generate(rng, { holes }) {
    allSolved ??= solvedGrids();
    let cells = rng.pick(allSolved);
    let left = rng.int(Math.ceil(holes / 2), holes);
    // Cells are opened in an order by chance, each where one solution is left; twelve open ones are seldom to be had.
    for (const place of rng.shuffle(Array.from({ length: CELLS }, (_, i) => i))) {
      if (left === 0) break;
      const opened = cells.slice(0, place) + HOLE + cells.slice(place + 1);
      if (solutionsOf(opened).length > 1) continue;
      cells = opened;
      left--;
    }
    return { rows: asRows(cells) };
  },
  key: ({ rows }) => `sudoku|${inLine(rows)}`,
  splitKey: ({ rows }) => `sudoku|${renamed(rows)}`,
  prompt: ({ rows }) => `${inLine(rows)}>`,
  question: ({ rows }) =>
    `Fill in this sudoku, so that each row, each column and each block of two by two has the digits 1 to 4:\n${inLines(rows)}\nGive all 16 digits, row by row.`,
  oracle: solutionOf,
  verify: ({ rows: given }, answer) =>
    judgeFilledGrid(answer, {
      given,
      symbols: DIGITS,
      between: ['\n', '/', ''],
      broken: (rows) =>
        [...rows, ...columnsOf(rows), ...blocksOf(rows)].every(isWhole)
          ? undefined
          : 'a digit is twice in a row, a column or a block',
    }),
  mutants: ({ rows }) => {
    const right = solutionOf({ rows });
    const solution = asRows(right);
    return {
      ...filledGridMisses(solution, rows, DIGITS, '1'),
      'digits renamed, givens too': right.replace(/[1-4]/g, (digit) => DIGITS[Number(digit) % 4] as string),
      'another solved grid': solution[3] + (solution[2] as string) + solution[1] + solution[0],
      'digit dropped': right.slice(1),
      'digit appended': `${right}1`,
      'given twice, joined': right + right,
    };
  },
  /** One of the solved grids. */
  chance: () => 0.02,
  longest: () => ({ prompt: CELLS + 4, answer: CELLS + 3, question: 220 }),
});
