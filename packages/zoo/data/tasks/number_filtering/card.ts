/** What number_filtering is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  numbers: integer({ min: 3, max: 12, example: 5 }).default(5).describe('How many numbers, at most.'),
  max: integer({ min: 20, max: 999, example: 50 }).default(50).describe('Largest number.'),
});

export type NumberFilteringKnobs = Values<typeof KNOBS>;

export const numberFilteringCard = {
  name: 'number_filtering',
  does: 'Keep or drop the numbers above or below one.',
  example: ['keep >5: 3 9 7>', '9 7'],
  version: 2,
  category: 'strings',
  tier: 2,
  knobs: KNOBS,
  levels: [{ numbers: 4, max: 30 }, {}, { numbers: 8, max: 99 }, { numbers: 12, max: 999 }],
  attributes: { numbers: [4, 5, 8, 12], max: [30, 50, 99, 999] },
} satisfies TaskCard<NumberFilteringKnobs>;
