import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const numberFilteringCard = taskCard({
  name: 'number_filtering',
  does: 'Keep or drop the numbers above or below one.',
  example: ['keep >5: 3 9 7>', '9 7'],
  version: 2,
  category: 'strings',
  tier: 2,
  knobs: {
    numbers: integer({ min: 3, max: 12, example: 5 }).default(5).describe('How many numbers, at most.'),
    max: integer({ min: 20, max: 999, example: 50 }).default(50).describe('Largest number.'),
  },
  levels: [{ numbers: 4, max: 30 }, {}, { numbers: 8, max: 99 }, { numbers: 12, max: 999 }],
  attributes: { numbers: [4, 5, 8, 12], max: [30, 50, 99, 999] },
});

export type NumberFilteringKnobs = KnobsOf<typeof numberFilteringCard>;
