/**
 * Fresh oranges (1) beside rotten ones (2) rot within a minute; 0 is an empty cell. How many minutes until all are
 * rotten, or `none` where some never are.
 */
import { judgeNumberOrNone } from '../../judging/judge.ts';
import { drawRows, drawSize, inLine, inLines, lineTask, type Rows, stepsToFarthest } from '../../kit.ts';
import { remembered } from '../../remembered.ts';
import { type RottenOrangesKnobs, rottenOrangesCard } from './card.ts';

export type RottenOrangesItem = { readonly rows: Rows };

const minutes = remembered(({ rows }: RottenOrangesItem): string => {
  const steps = stepsToFarthest(rows, '2', (cell) => cell !== '0');
  return steps === undefined ? 'none' : String(steps);
});

export const rottenOranges = lineTask<RottenOrangesItem, RottenOrangesKnobs>(rottenOrangesCard, {
  characters: 'rotne 0123456789/>',
  generate(rng, { size }) {
    const [height, width] = drawSize(rng, 3, size);
    const cell = (): string => '011112'[rng.int(0, 5)] as string;
    // Rotten ones are in the first row alone: without one there, the others need not be drawn.
    const [first = ''] = drawRows(1, width, cell);
    if (!first.includes('2')) return null;
    const item = { rows: [first, ...drawRows(height - 1, width, cell).map((row) => row.replaceAll('2', '1'))] };
    // Half of the problems without an end are left out.
    return minutes(item) === 'none' && rng.int(0, 1) === 0 ? null : item;
  },
  key: ({ rows }) => `oranges|${inLine(rows)}`,
  prompt: ({ rows }) => `rot ${inLine(rows)}>`,
  question: ({ rows }) =>
    `In this grid 2 is a rotten orange, 1 a fresh one, and 0 an empty cell. Each minute the fresh ones beside a rotten one rot, too:\n${inLines(rows)}\nAfter how many minutes are all rotten? Answer none if some never are.`,
  oracle: minutes,
  verify: (item, answer) => judgeNumberOrNone(answer, minutes(item)),
  mutants: (item) => {
    const right = minutes(item);
    return {
      'one more': right === 'none' ? '1' : String(Number(right) + 1),
      'ten more': right === 'none' ? '10' : `1${right.padStart(1, '0')}0`,
      'none or any': right === 'none' ? '0' : 'none',
      'given twice': `${right} ${right}`,
      'less than nothing': '-1',
      'the grid': inLine(item.rows),
    };
  },
  chance: () => 0.4,
  longest: ({ size }) => ({ prompt: size * (size + 1) + 5, answer: 4, question: 260 + size * (size + 1) }),
});
