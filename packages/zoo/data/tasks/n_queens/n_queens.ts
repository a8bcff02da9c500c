/**
 * A board with a queen in each row, of which some are to be placed: no two may attack each other. Any such board with
 * the given queens is right.
 *
 *   prompt      .Q..../...Q../....../Q...../…>      completion  .Q..../...Q../.....Q/Q...../…
 *   split       by hash of the board, turned and mirrored to the least of its eight forms
 *
 * A board is drawn among all that can be completed, which are listed once for each size.
 */
import { inLine, inLines, leastForm, lineTask, type Rows } from '../../kit.ts';
import { filledGridMisses, judgeFilledGrid } from '../../puzzle.ts';
import { type NQueensKnobs, nQueensCard } from './card.ts';

/** `solution` is one right answer of several, perhaps. */
export type NQueensItem = { readonly rows: Rows; readonly solution: Rows };

const EMPTY = '.';
const QUEEN = 'Q';

/** The columns of the queens, row by row, of every completed board. */
function completeBoards(size: number): number[][] {
  let boards: number[][] = [[]];
  for (let row = 0; row < size; row++) {
    boards = boards.flatMap((board) =>
      Array.from({ length: size }, (_, column) => [...board, column]).filter((longer) => !lastIsAttacked(longer)),
    );
  }
  return boards;
}

function lastIsAttacked(board: readonly number[]): boolean {
  const row = board.length - 1;
  const column = board[row] as number;
  return board.some((other, y) => y < row && (other === column || Math.abs(other - column) === row - y));
}

const boardsBySize = new Map<number, number[][]>();

function boardsOf(size: number): number[][] {
  const boards = boardsBySize.get(size) ?? completeBoards(size);
  boardsBySize.set(size, boards);
  return boards;
}

const drawn = (board: readonly (number | undefined)[]): Rows =>
  board.map((column) => board.map((_, x) => (x === column ? QUEEN : EMPTY)).join(''));

function brokenRule(rows: Rows): string | undefined {
  const board = rows.map((row) => row.indexOf(QUEEN));
  const hasOneEach = rows.every((row, y) => (board[y] as number) >= 0 && row.lastIndexOf(QUEEN) === board[y]);
  if (!hasOneEach) return 'a row has no queen, or several';
  return board.some((_, row) => lastIsAttacked(board.slice(0, row + 1))) ? 'two queens attack each other' : undefined;
}

/** Ways to choose `count` out of `of`. */
function choices(of: number, count: number): number {
  let ways = 1;
  for (let i = 0; i < count; i++) ways = (ways * (of - i)) / (i + 1);
  return ways;
}

/**
 * The share of problems that the best completed board solves, when one to `missing` queens of a board drawn by chance
 * are taken away: those that stay must be among its own.
 */
function bestConstant(size: number, missing: number): number {
  const boards = boardsOf(size);
  const shares = boards.map((answer) => {
    const perBoard = boards.map((board) => {
      const common = board.filter((column, row) => answer[row] === column).length;
      let sum = 0;
      for (let taken = 1; taken <= missing; taken++) {
        sum += choices(common, size - taken) / choices(size, size - taken);
      }
      return sum / missing;
    });
    return perBoard.reduce((a, b) => a + b, 0) / boards.length;
  });
  return Math.max(...shares);
}

export const nQueens = lineTask<NQueensItem, NQueensKnobs>(nQueensCard, {
  characters: `${QUEEN}${EMPTY}/>`,
  answers: 'open',
  generate(rng, { size, missing }) {
    const board = rng.pick(boardsOf(size));
    const rows = rng.shuffle(board.map((_, row) => row)).slice(0, rng.int(1, missing));
    return {
      rows: drawn(board.map((column, row) => (rows.includes(row) ? undefined : column))),
      solution: drawn(board),
    };
  },
  /** Boards that it can become, over the ways to take as many queens away. */
  frequency({ rows }) {
    const queens = rows.map((row) => row.indexOf(QUEEN));
    const boards = boardsOf(rows.length).filter((board) =>
      queens.every((column, y) => column < 0 || column === board[y]),
    );
    return boards.length / choices(rows.length, queens.filter((column) => column < 0).length);
  },
  key: ({ rows }) => `queens|${inLine(rows)}`,
  splitKey: ({ rows }) => `queens|${leastForm(rows)}`,
  prompt: ({ rows }) => `${inLine(rows)}>`,
  question: ({ rows }) =>
    `Complete this board, so that it has ${rows.length} queens (Q) of which no two are in one row, column or diagonal; the given queens stay:\n${inLines(rows)}\nGive the whole board, a line for each row.`,
  oracle: ({ solution }) => inLine(solution),
  verify: ({ rows }, answer) =>
    judgeFilledGrid(answer, { given: rows, open: EMPTY, symbols: EMPTY + QUEEN, broken: brokenRule }),
  mutants: ({ rows, solution }) => {
    const at = rows.findIndex((row) => !row.includes(QUEEN));
    return {
      ...filledGridMisses(solution, rows, EMPTY + QUEEN, EMPTY),
      'queens everywhere': inLine(rows.map(({ length }) => QUEEN.repeat(length))),
      'a second queen in a row': inLine(solution.map((one, y) => (y === at ? one.replace(EMPTY, QUEEN) : one))),
      'a queen in the column of another': inLine(
        solution.map((one, y) => (y === at ? (solution[at === 0 ? 1 : at - 1] as string) : one)),
      ),
      'in small letters': inLine(solution).toLowerCase(),
    };
  },
  chance: ({ size, missing }) => Math.min(0.5, 1.2 * bestConstant(size, missing) + 0.01),
  longest: ({ size }) => ({ prompt: size * (size + 1), answer: size * (size + 1), question: 260 + size * (size + 1) }),
});
