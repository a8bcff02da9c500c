/**
 * A grid of digits and a list of operations, done one after the other.
 *
 * r: a quarter turn clockwise. h, v: each row, or their order, reversed. d, c: mirrored along a diagonal. m35: 3 becomes 5.
 * z3: multiples of 3 become 0. k12, l12: rows, or columns, 1 to 2 are kept. p2, q2: every second row, or column, removed.
 */
import { judgeGrid } from '../../judging/judge.ts';
import { drawRows, drawSize, gridMisses, inLine, inLines, lineTask, type Rows } from '../../kit.ts';
import { type ManipulateMatrixKnobs, manipulateMatrixCard } from './card.ts';
import { applyOperation, drawOperation, OPERATION_LETTERS, operationSentence } from './operations.ts';

export type ManipulateMatrixItem = {
  readonly operations: readonly string[];
  readonly rows: Rows;
  /** The grid after the last operation. */
  readonly end: Rows;
};

/** Fewer cells would be guessed. */
const FEWEST_CELLS = 2;

export const manipulateMatrix = lineTask<ManipulateMatrixItem, ManipulateMatrixKnobs>(manipulateMatrixCard, {
  characters: `mat 0123456789/:>${OPERATION_LETTERS.join('')}`,
  generate(rng, { size, operations: most }) {
    const [height, width] = drawSize(rng, 2, size);
    const rows = drawRows(height, width, () => String(rng.int(0, 9)));
    const operations: string[] = [];
    let end = rows;
    for (let left = rng.int(1, most); left > 0; ) {
      const code = drawOperation(rng, end);
      const next = code === undefined ? [] : applyOperation(end, code);
      if (code === undefined || next.join('').length < FEWEST_CELLS) continue; // a turn can always be done
      operations.push(code);
      end = next;
      left--;
    }
    return inLine(end) === inLine(rows) ? null : { operations, rows, end };
  },
  key: ({ operations, rows }) => `matrix|${operations.join(' ')}|${inLine(rows)}`,
  prompt: ({ operations, rows }) => `mat ${operations.join(' ')}: ${inLine(rows)}>`,
  question: ({ operations, rows }) =>
    `Take this grid:\n${inLines(rows)}\nDo the following, one after the other: ${operations.map(operationSentence).join('; ')}. ` +
    'Give the grid that comes out in the same form, a line for each row.',
  separator: '',
  oracle: ({ end }) => inLine(end),
  verify: ({ end }, answer) =>
    judgeGrid(
      answer,
      end.map((row) => row.split('')),
      { rows: end.length, columns: (end[0] as string).length, between: ['\n', '/'] },
    ),
  mutants: ({ operations, rows, end }) => {
    const texts: Record<string, string> = {
      ...gridMisses(end, rows, '0'),
      'first operation alone': inLine(applyOperation(rows, operations[0] as string)),
      'last operation left out': inLine(operations.slice(0, -1).reduce(applyOperation, rows)),
      'rows joined': end.join(' ').replaceAll(' ', ''),
    };
    return Object.fromEntries(
      Object.entries(texts).filter(
        ([name, text]) => text !== inLine(end) && !(name === 'rows joined' && end.length === 1),
      ),
    );
  },
  chance: ({ size }) => (size <= 2 ? 0.03 : 0.02),
  longest: ({ size, operations }) => ({
    prompt: 4 * operations + size * (size + 1) + 6,
    answer: size * (size + 1),
    question: 180 + 52 * operations + size * (size + 1),
  }),
});
