/**
 * A square of zeros and ones: in each row and column as many zeros as ones and never three of one kind side by side, no
 * two rows alike and no two columns alike. Any square that keeps these rules and the given cells is right.
 *
 *   split       by hash of the puzzle and its opposite, zeros for ones: the first of the two
 */
import { inLine, inLines, lineTask, type Rng, type Rows } from '../../kit.ts';
import { columnsOf, filledGridMisses, HOLE, judgeFilledGrid, withHoles } from '../../puzzle.ts';
import { type BinairoKnobs, binairoCard } from './card.ts';

/** `solution` is one right answer of several, perhaps. */
export type BinairoItem = { readonly rows: Rows; readonly solution: Rows };

/** As many zeros as ones, and never three of one kind side by side. */
function isLine(line: string): boolean {
  return 2 * line.replaceAll('0', '').length === line.length && !line.includes('000') && !line.includes('111');
}

/** Every line of `size` cells, as a number of `size` bits. */
function linesOf(size: number): number[] {
  const all = Array.from({ length: 2 ** size }, (_, bits) => bits);
  return all.filter((bits) => isLine(asText(bits, size)));
}

const asText = (bits: number, size: number): string => bits.toString(2).padStart(size, '0');

const known = new Map<number, number[]>();

/** Whether below these rows a line leaves no column three alike, nor too many of one kind. */
function fits(rows: readonly number[], line: number, size: number): boolean {
  const [above, before] = [rows[rows.length - 1], rows[rows.length - 2]];
  const all = 2 ** size - 1;
  if (above !== undefined && before !== undefined) {
    if ((above & before & line) !== 0 || (above | before | line) !== all) return false;
  }
  for (let column = 0; column < size; column++) {
    let ones = (line >> column) & 1;
    for (const row of rows) ones += (row >> column) & 1;
    if (2 * ones > size || 2 * (rows.length + 1 - ones) > size) return false;
  }
  return true;
}

/** A solved square, row by row in an order by chance, taking a row back where none fits below it. */
function drawSquare(rng: Rng, size: number): Rows {
  const lines = known.get(size) ?? linesOf(size);
  known.set(size, lines);
  const extend = (rows: readonly number[]): Rows | undefined => {
    if (rows.length === size) {
      const texts = rows.map((bits) => asText(bits, size));
      return new Set(columnsOf(texts)).size === size ? texts : undefined;
    }
    for (const line of rng.shuffle(lines.filter((one) => !rows.includes(one) && fits(rows, one, size)))) {
      const found = extend([...rows, line]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return extend([]) as Rows; // there are such squares of each size
}

function brokenRule(rows: Rows): string | undefined {
  const columns = columnsOf(rows);
  if (![...rows, ...columns].every(isLine)) return 'a line has three alike side by side, or more of one kind';
  const areDifferent = new Set(rows).size === rows.length && new Set(columns).size === rows.length;
  return areDifferent ? undefined : 'two rows or two columns are alike';
}

const opposite = (text: string): string => text.replace(/[01]/g, (cell) => (cell === '0' ? '1' : '0'));

export const binairo = lineTask<BinairoItem, BinairoKnobs>(binairoCard, {
  characters: `01${HOLE}/>`,
  answers: 'open',
  generate(rng, { size, holes }) {
    const solution = drawSquare(rng, size);
    return { rows: withHoles(rng, solution, Math.round((holes * size * size) / 100)), solution };
  },
  key: ({ rows }) => `binairo|${inLine(rows)}`,
  splitKey: ({ rows }) => `binairo|${[inLine(rows), opposite(inLine(rows))].sort()[0]}`,
  prompt: ({ rows }) => `${inLine(rows)}>`,
  question: ({ rows }) =>
    `Fill in this grid with 0 and 1. Each row and each column has as many zeros as ones and never three of one kind side by side; no two rows are alike, and no two columns:\n${inLines(rows)}\nGive the whole grid, a line for each row.`,
  oracle: ({ solution }) => inLine(solution),
  verify: ({ rows }, answer) => judgeFilledGrid(answer, { given: rows, symbols: '01', broken: brokenRule }),
  mutants: ({ rows, solution }) => ({
    ...filledGridMisses(solution, rows, '01', '01'),
    'every cell changed': opposite(inLine(solution)),
    'first row twice': inLine([solution[0] as string, solution[0] as string, ...solution.slice(2)]),
  }),
  /** There are 72 squares of four rows; the given cells leave few of them. */
  chance: ({ size, holes }) => (size === 4 ? (holes > 50 ? 0.2 : 0.08) : 0.02),
  longest: ({ size }) => ({ prompt: size * (size + 1), answer: size * (size + 1), question: 330 + size * (size + 1) }),
});
