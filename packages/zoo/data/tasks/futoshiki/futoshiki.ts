/**
 * A square of digits, each of 1 to its size once in each row and column, that keeps the signs between neighbours: `<`
 * and `>` within a row, `^` (the upper one is less) and `v` below it, `.` where there is none. Any such square is right.
 *
 * A line of cells and signs and a line of signs alternate.
 */
import { inLine, lineTask, type Rng, type Rows } from '../../kit.ts';
import { columnsOf, filledGridMisses, HOLE, judgeFilledGrid, repeats, withHoles } from '../../puzzle.ts';
import { remembered } from '../../remembered.ts';
import { type FutoshikiKnobs, futoshikiCard } from './card.ts';

/** `solution` is one right answer of several, perhaps. */
export type FutoshikiItem = { readonly lines: Rows; readonly solution: Rows };

const NO_SIGN = '.';

/** The square of the cyclic group, with rows, columns and digits in an order by chance. */
function drawSquare(rng: Rng, size: number): Rows {
  const order = (): number[] => rng.shuffle(Array.from({ length: size }, (_, i) => i));
  const [rows, columns, digits] = [order(), order(), order()];
  return rows.map((row) => columns.map((column) => 1 + (digits[(row + column) % size] as number)).join(''));
}

const cellsOf = (lines: Rows): Rows =>
  lines
    .filter((_, i) => i % 2 === 0)
    .map((line) =>
      line
        .split('')
        .filter((_, i) => i % 2 === 0)
        .join(''),
    );

/** What a verdict needs of the lines: the cells that are given, and two places per sign, the smaller first. */
const readPuzzle = remembered(({ lines }: FutoshikiItem) => {
  const less: (readonly [row: number, column: number, otherRow: number, otherColumn: number])[] = [];
  for (const [i, line] of lines.entries()) {
    const row = i >> 1;
    const isBetweenRows = i % 2 === 1;
    for (const [at, sign] of line.split('').entries()) {
      const column = isBetweenRows ? at : at >> 1;
      const [nextRow, nextColumn] = isBetweenRows ? [row + 1, column] : [row, column + 1];
      if (sign === '<' || sign === '^') less.push([row, column, nextRow, nextColumn]);
      if (sign === '>' || sign === 'v') less.push([nextRow, nextColumn, row, column]);
    }
  }
  return { given: cellsOf(lines), less };
});

function brokenRule({ less }: ReturnType<typeof readPuzzle>, rows: Rows): string | undefined {
  if (rows.some(repeats) || columnsOf(rows).some(repeats)) return 'a digit is twice in a row or a column';
  for (const [row, column, otherRow, otherColumn] of less) {
    const digit = (rows[row] as string).charCodeAt(column);
    if (digit >= (rows[otherRow] as string).charCodeAt(otherColumn)) return 'a sign is not kept';
  }
  return undefined;
}

const digitsTo = (size: number): string => '123456789'.slice(0, size);

export const futoshiki = lineTask<FutoshikiItem, FutoshikiKnobs>(futoshikiCard, {
  characters: `123456789${HOLE}/<>^v${NO_SIGN}`,
  answers: 'open',
  generate(rng, { size, holes, signs }) {
    const solution = drawSquare(rng, size);
    const clues = withHoles(rng, solution, Math.max(1, Math.round((holes * size * size) / 100)));
    const sign = (one: string, other: string, [less, more]: readonly [string, string]): string =>
      rng.int(0, 99) >= signs ? NO_SIGN : one < other ? less : more;
    const lines = solution.flatMap((row, y) => {
      const cells = row.split('');
      const across = cells.map((cell, x) => {
        const next = cells[x + 1];
        return (clues[y] as string)[x] + (next === undefined ? '' : sign(cell, next, ['<', '>']));
      });
      const below = solution[y + 1];
      if (below === undefined) return [across.join('')];
      return [across.join(''), cells.map((cell, x) => sign(cell, below[x] as string, ['^', 'v'])).join('')];
    });
    return { lines, solution };
  },
  key: ({ lines }) => `futoshiki|${inLine(lines)}`,
  prompt: ({ lines }) => `${inLine(lines)}>`,
  question({ lines, solution: { length } }) {
    const shown = lines.map((line, i) => (i % 2 === 0 ? line.replaceAll(NO_SIGN, ' ') : line.split('').join(' ')));
    return `Fill in this square, so that each row and each column has the digits 1 to ${length} and the signs between neighbours are kept; ^ and v between two rows say that the upper digit is less or greater:\n${shown.join('\n').replaceAll(NO_SIGN, ' ')}\nGive all ${length} rows of digits alone, a line each.`;
  },
  oracle: ({ solution }) => inLine(solution),
  verify(item, answer) {
    const puzzle = readPuzzle(item);
    const symbols = digitsTo(puzzle.given.length);
    return judgeFilledGrid(answer, { given: puzzle.given, symbols, broken: (rows) => brokenRule(puzzle, rows) });
  },
  mutants: ({ lines, solution }) => ({
    ...filledGridMisses(solution, cellsOf(lines), digitsTo(solution.length), '1'),
    'with its signs': inLine(lines),
    'every digit in order': inLine(solution.map(() => digitsTo(solution.length))),
  }),
  /** A square of 16 cells has three digits and four signs to meet, at the fewest. */
  chance: () => 0.02,
  longest: ({ size }) => ({
    prompt: size * (2 * size - 1) + (size - 1) * size + 2 * (size - 1) + 1,
    answer: size * (size + 1),
    question: 290 + (2 * size - 1) * 2 * size,
  }),
});
