/** What number_sorting is and which knobs it has. */
import type { TaskCard } from '../../../../../src/data/task.ts';
import { choice, flag, integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  numbers: integer({ min: 3, max: 10, example: 4 }).default(4).describe('How many numbers.'),
  max: integer({ min: 9, max: 999, example: 20 }).default(20).describe('Largest number.'),
  direction: choice(['up', 'down'])
    .optional()
    .describe('Ascending (up) or descending (down). Default: either, problem by problem.'),
  negative: flag().default(false).describe('Whether numbers may be negative.'),
});

export type NumberSortingKnobs = Values<typeof KNOBS>;

export const numberSortingCard = {
  name: 'number_sorting',
  does: 'Sort numbers.',
  example: ['up 9 3 7>', '3 7 9'],
  version: 1,
  category: 'strings',
  tier: 1,
  knobs: KNOBS,
  levels: [
    { numbers: 3, max: 15 },
    {},
    { numbers: 6, max: 99, negative: true },
    { numbers: 10, max: 999, negative: true },
  ],
  attributes: { numbers: [3, 4, 6, 10], max: [15, 20, 99, 999] },
} satisfies TaskCard<NumberSortingKnobs>;
