/** For each cell, how many steps up, down, left or right the nearest 0 is. */
import { drawRows, drawSize, gridMisses, inLine, inLines, placesOf, type Rows, stepsFrom } from '../../cells.ts';
import { judgeGrid } from '../../judging/judge.ts';
import { lineTask } from '../../line_task.ts';
import { remembered } from '../../remembered.ts';
import { type BinaryMatrixKnobs, binaryMatrixCard } from './card.ts';

export type BinaryMatrixItem = { readonly rows: Rows };

const distances = remembered(({ rows }: BinaryMatrixItem) => stepsFrom(rows, placesOf(rows, '0'), () => true));

const right = remembered((item: BinaryMatrixItem): Rows => distances(item).map((row) => row.join('')));

export const binaryMatrix = lineTask<BinaryMatrixItem, BinaryMatrixKnobs>(binaryMatrixCard, {
  characters: 'near 0123456789/>',
  generate(rng, { size }) {
    const [height, width] = drawSize(rng, 2, size);
    const rows = drawRows(height, width, () => (rng.int(0, 2) === 0 ? '0' : '1'));
    const item = { rows };
    // A distance is a digit; and where none is above 1, the grid is its own answer.
    return distances(item)
      .flat()
      .some((steps) => steps === undefined || steps > 9) || inLine(right(item)) === inLine(rows)
      ? null
      : item;
  },
  key: ({ rows }) => `near|${inLine(rows)}`,
  prompt: ({ rows }) => `near ${inLine(rows)}>`,
  question: ({ rows }) =>
    `Replace each cell of this grid by its distance to the nearest 0, in steps up, down, left or right:\n${inLines(rows)}\nGive the grid in the same form, a line for each row.`,
  separator: '',
  oracle: (item) => inLine(right(item)),
  verify(item, answer) {
    const shape = { rows: item.rows.length, columns: (item.rows[0] as string).length, between: ['\n', '/'] as const };
    return judgeGrid(
      answer,
      right(item).map((row) => row.split('')),
      shape,
    );
  },
  mutants: (item) => gridMisses(right(item), item.rows, '0'),
  chance: ({ size }) => (size <= 3 ? 0.08 : 0.02),
  longest: ({ size }) => ({
    prompt: size * (size + 1) + 6,
    answer: size * (size + 1),
    question: 220 + size * (size + 1),
  }),
});
