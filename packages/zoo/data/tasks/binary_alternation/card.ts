import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const binaryAlternationCard = taskCard({
  name: 'binary_alternation',
  does: 'Count the swaps that make bits alternate.',
  example: ['alt 1100>', '1'],
  version: 2,
  category: 'strings',
  tier: 2,
  knobs: {
    length: integer({ min: 6, max: 30, example: 10 }).default(10).describe('Bits, at most.'),
    impossible: integer({ min: 0, max: 40, example: 20 })
      .default(20)
      .describe('Percentage of the problems that have none.'),
  },
  levels: [{ length: 8 }, {}, { length: 16 }, { length: 30 }],
  attributes: { length: [8, 10, 16, 30] },
});

export type BinaryAlternationKnobs = KnobsOf<typeof binaryAlternationCard>;
