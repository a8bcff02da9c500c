/**
 * The digits of a grid in a spiral: clockwise from the first cell to the middle, without spaces.
 *
 * The answer is a row of digits and no number: 012 is not 12, and nothing may be added to it.
 */
import { drawRows, drawSize, inLine, inLines, judgeText, lineTask, type Rows, textMisses } from '../../kit.ts';
import { type SpiralMatrixKnobs, spiralMatrixCard } from './card.ts';

export type SpiralMatrixItem = { readonly rows: Rows };

function spiral({ rows }: SpiralMatrixItem): string {
  let text = '';
  let [top, left] = [0, 0];
  let [bottom, right] = [rows.length - 1, (rows[0] as string).length - 1];
  const take = (row: number, column: number): void => {
    text += (rows[row] as string)[column];
  };
  while (top <= bottom && left <= right) {
    for (let column = left; column <= right; column++) take(top, column);
    for (let row = top + 1; row <= bottom; row++) take(row, right);
    if (top < bottom) for (let column = right - 1; column >= left; column--) take(bottom, column);
    if (left < right) for (let row = bottom - 1; row > top; row--) take(row, left);
    top++;
    left++;
    bottom--;
    right--;
  }
  return text;
}

export const spiralMatrix = lineTask<SpiralMatrixItem, SpiralMatrixKnobs>(spiralMatrixCard, {
  characters: 'spiral 0123456789/>',
  generate(rng, { size }) {
    const [height, width] = drawSize(rng, 2, size);
    return { rows: drawRows(height, width, () => String(rng.int(0, 9))) };
  },
  key: ({ rows }) => `spiral|${inLine(rows)}`,
  prompt: ({ rows }) => `spiral ${inLine(rows)}>`,
  question: ({ rows }) =>
    `Read this grid in a spiral, clockwise from its first cell:\n${inLines(rows)}\nGive the digits without spaces.`,
  separator: '',
  oracle: spiral,
  verify: (item, answer) => judgeText(answer, spiral(item)),
  mutants: (item, _knobs, rng) => {
    const right = spiral(item);
    const byRow = item.rows.join('');
    return {
      ...textMisses(right, '0123456789', rng),
      ...(byRow !== right && { 'row by row': byRow }),
      spaced: right.split('').join(' '),
    };
  },
  chance: () => 1 / 512,
  longest: ({ size }) => ({ prompt: size * (size + 1) + 8, answer: size * size }),
});
