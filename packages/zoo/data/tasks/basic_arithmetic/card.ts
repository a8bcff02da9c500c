import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const basicArithmeticCard = taskCard({
  name: 'basic_arithmetic',
  does: 'Compute an expression with brackets.',
  example: ['2*(3+4)>', '14'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    terms: integer({ min: 2, max: 6, example: 3 }).default(3).describe('How many numbers.'),
    digits: integer({ min: 1, max: 3, example: 1 }).default(1).describe('Digits of the largest number.'),
  },
  levels: [{ terms: 2 }, {}, { terms: 3, digits: 2 }, { terms: 5, digits: 2 }],
  attributes: { terms: [2, 3, 4, 6], digits: [1, 2, 3] },
});

export type BasicArithmeticKnobs = KnobsOf<typeof basicArithmeticCard>;
