/** A grid of digits, rotated clockwise by quarter turns. */
import { judgeGrid } from '../../judging/judge.ts';
import { drawRows, drawSize, gridMisses, inLine, inLines, lineTask, type Rows } from '../../kit.ts';
import { type RotateMatrixKnobs, rotateMatrixCard } from './card.ts';

export type RotateMatrixItem = { readonly turns: number; readonly rows: Rows };

function rotated({ turns, rows }: RotateMatrixItem): Rows {
  let now = rows;
  for (let turn = 0; turn < turns % 4; turn++) {
    now = (now[0] as string).split('').map((_, column) =>
      now
        .map((row) => row[column])
        .reverse()
        .join(''),
    );
  }
  return now;
}

export const rotateMatrix = lineTask<RotateMatrixItem, RotateMatrixKnobs>(rotateMatrixCard, {
  characters: 'rot 0123456789/>',
  generate(rng, { size, turns }) {
    const [height, width] = drawSize(rng, 2, size);
    const item = { turns: rng.int(1, turns), rows: drawRows(height, width, () => String(rng.int(0, 9))) };
    return inLine(rotated(item)) === inLine(item.rows) ? null : item;
  },
  key: ({ turns, rows }) => `rotate|${turns}|${inLine(rows)}`,
  prompt: ({ turns, rows }) => `rot ${turns} ${inLine(rows)}>`,
  question: ({ turns, rows }) =>
    `Rotate this grid clockwise by ${turns} quarter turns:\n${inLines(rows)}\nGive it in the same form, a line for each row.`,
  separator: '',
  oracle: (item) => inLine(rotated(item)),
  verify(item, answer) {
    const right = rotated(item);
    const shape = { rows: right.length, columns: (right[0] as string).length, between: ['\n', '/'] as const };
    return judgeGrid(
      answer,
      right.map((row) => row.split('')),
      shape,
    );
  },
  mutants: (item) => gridMisses(rotated(item), item.rows, '0'),
  chance: () => 1 / 512,
  longest: ({ size }) => ({ prompt: size * (size + 1) + 8, answer: size * (size + 1) }),
});
