/** What number_sorting is and which knobs it has. */
import { choice, flag, options, type Values, whole } from '../../../options/keys.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({
  numbers: whole({ least: 3, most: 10, example: 4 }).default(4).describe('How many numbers.'),
  max: whole({ least: 9, most: 999, example: 20 }).default(20).describe('Largest number.'),
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
  parts: [],
  knobs: KNOBS,
  levels: [
    { numbers: 3, max: 15 },
    {},
    { numbers: 6, max: 99, negative: true },
    { numbers: 10, max: 999, negative: true },
  ],
  attributes: { numbers: [3, 4, 6, 10], max: [15, 20, 99, 999] },
} satisfies TaskCard<NumberSortingKnobs>;
