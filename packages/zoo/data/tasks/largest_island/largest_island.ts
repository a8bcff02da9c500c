/** The cells of the largest island: ones that are beside each other, up, down, left or right. */
import type { Rows } from '../../kit.ts';
import { drawRows, drawSize, inLine, inLines, judgeNumber, largestGroup, lineTask, numberMisses } from '../../kit.ts';
import { remembered } from '../../remembered.ts';
import { type LargestIslandKnobs, largestIslandCard } from './card.ts';

export type LargestIslandItem = { readonly rows: Rows };

const largest = remembered(({ rows }: LargestIslandItem): number => largestGroup(rows, '1'));

export const largestIsland = lineTask<LargestIslandItem, LargestIslandKnobs>(largestIslandCard, {
  characters: 'isle 0123456789/>',
  generate(rng, { size }) {
    const [height, width] = drawSize(rng, 3, size);
    const land = rng.int(30, 65);
    return { rows: drawRows(height, width, () => (rng.int(0, 99) < land ? '1' : '0')) };
  },
  key: ({ rows }) => `island|${inLine(rows)}`,
  prompt: ({ rows }) => `isle ${inLine(rows)}>`,
  question: ({ rows }) =>
    `In this grid 1 is land and 0 is water:\n${inLines(rows)}\nHow many cells has the largest island? Cells of one island are beside, above or below each other.`,
  oracle: (item) => String(largest(item)),
  verify: (item, answer) => judgeNumber(answer, largest(item)),
  mutants: (item) => ({ ...numberMisses(largest(item)), 'several counts': '1 2 3 4' }),
  chance: () => 0.3,
  longest: ({ size }) => ({ prompt: size * (size + 1) + 6, answer: 3, question: 200 + size * (size + 1) }),
});
