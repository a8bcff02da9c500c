/**
 * A square of zeros and ones. In a row a one weighs as much as the number of its column, counted from 1, and in a
 * column as much as the number of its row; the sums are given. Any square that has them is right.
 *
 *   split       by hash of both rows of sums in either order: rows and columns of a puzzle may change places
 */
import { drawRows, inLine, lineTask, type Rows } from '../../kit.ts';
import { columnsOf, filledGridMisses, HOLE, judgeFilledGrid } from '../../puzzle.ts';
import { remembered } from '../../remembered.ts';
import { type KakurasuKnobs, kakurasuCard } from './card.ts';

/** Sums of the rows and of the columns; `solution` is one right answer of several, perhaps. */
export type KakurasuItem = {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
  readonly solution: Rows;
};

const sumOf = (line: string): number => line.split('').reduce((sum, cell, i) => sum + (cell === '1' ? i + 1 : 0), 0);

const sumsOf = (rows: Rows): Pick<KakurasuItem, 'rows' | 'columns'> => ({
  rows: rows.map(sumOf),
  columns: columnsOf(rows).map(sumOf),
});

const asText = ({ rows, columns }: Pick<KakurasuItem, 'rows' | 'columns'>): string =>
  `${rows.join(' ')}/${columns.join(' ')}`;

const emptyOf = remembered(({ rows }: KakurasuItem): Rows => rows.map(() => HOLE.repeat(rows.length)));

/** Whether a filled square has the sums of a puzzle. */
function hasSums(square: Rows, { rows, columns }: KakurasuItem): boolean {
  const left = [...columns];
  for (let y = 0; y < rows.length; y++) {
    const line = square[y] as string;
    let sum = 0;
    for (let x = 0; x < line.length; x++) {
      if (line[x] !== '1') continue;
      sum += x + 1;
      left[x] = (left[x] as number) - (y + 1);
    }
    if (sum !== rows[y]) return false;
  }
  return left.every((sum) => sum === 0);
}

export const kakurasu = lineTask<KakurasuItem, KakurasuKnobs>(kakurasuCard, {
  characters: 'kaku 0123456789/>',
  answers: 'open',
  generate(rng, { size, ones }) {
    const solution = drawRows(size, size, () => (rng.int(0, 99) < ones ? '1' : '0'));
    return solution.join('').includes('1') ? { ...sumsOf(solution), solution } : null;
  },
  key: (item) => `kakurasu|${asText(item)}`,
  splitKey: ({ rows, columns, solution }) => {
    const texts = [asText({ rows, columns }), asText({ rows: columns, columns: rows })].sort();
    return `kakurasu|${solution.length}|${texts[0]}`;
  },
  prompt: (item) => `kaku ${asText(item)}>`,
  question: ({ rows, columns }) =>
    `Fill a square of ${rows.length} rows and columns with zeros and ones. The numbers of the columns (from 1) that have a one add up, row by row, to ${rows.join(', ')}. The numbers of the rows that have a one add up, column by column, to ${columns.join(', ')}. Give the rows, a line each.`,
  oracle: ({ solution }) => inLine(solution),
  verify: (item, answer) =>
    judgeFilledGrid(answer, {
      given: emptyOf(item),
      symbols: '01',
      broken: (rows) => (hasSums(rows, item) ? undefined : 'a row or a column has another sum'),
    }),
  mutants: (item) => {
    const { solution } = item;
    return {
      ...filledGridMisses(solution, emptyOf(item), '01', '0'),
      'the sums': asText(item),
      'two cells of the first row changed': inLine([
        solution[0]?.replace(/^./, flipped).replace(/.$/, flipped) as string,
        ...solution.slice(1),
      ]),
      'first row alone': solution[0] as string,
    };
  },
  /** A grid of nine cells has one set of sums of several hundred. */
  chance: ({ size, ones }) => (size === 3 ? 0.06 : ones < 30 ? 0.05 : 0.02),
  longest: ({ size }) => ({
    prompt: 6 + 2 * size * 3,
    answer: size * (size + 1),
    question: 290 + 2 * size * 4,
  }),
});

function flipped(cell: string): string {
  return cell === '1' ? '0' : '1';
}
