/** What binary_alternation is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  length: integer({ min: 6, max: 30, example: 10 }).default(10).describe('Bits, at most.'),
  impossible: integer({ min: 0, max: 40, example: 20 })
    .default(20)
    .describe('Percentage of the problems that have none.'),
});

export type BinaryAlternationKnobs = Values<typeof KNOBS>;

export const binaryAlternationCard = {
  name: 'binary_alternation',
  does: 'Count the swaps that make bits alternate.',
  example: ['alt 1100>', '1'],
  version: 2,
  category: 'strings',
  tier: 2,
  knobs: KNOBS,
  levels: [{ length: 8 }, {}, { length: 16 }, { length: 30 }],
  attributes: { length: [8, 10, 16, 30] },
} satisfies TaskCard<BinaryAlternationKnobs>;
