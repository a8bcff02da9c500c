import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const numberFormatCard = taskCard({
  name: 'number_format',
  does: 'Find the largest or the smallest of a few numbers.',
  example: ['max 19 91 9>', '91'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    candidates: integer({ min: 2, max: 5, example: 3 }).default(3).describe('How many numbers.'),
    digits: integer({ min: 1, max: 9, example: 2 }).default(2).describe('Digits before the decimal point, at most.'),
    decimals: integer({ min: 0, max: 3, example: 0 }).default(0).describe('Digits after it, at most.'),
  },
  levels: [{ candidates: 2 }, {}, { candidates: 4, digits: 4 }, { candidates: 5, digits: 9, decimals: 3 }],
  attributes: { candidates: [2, 3, 5], digits: [2, 4, 9], decimals: [0, 1, 3] },
});

export type NumberFormatKnobs = KnobsOf<typeof numberFormatCard>;
