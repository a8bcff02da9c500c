import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const polynomialExpandCard = taskCard({
  name: 'polynomial_expand',
  does: 'Multiply polynomials and write the product as a sum.',
  example: ['(x+2)(x-3)=', 'x^2-x-6'],
  version: 1,
  category: 'algebra',
  tier: 2,
  knobs: {
    factors: integer({ min: 2, max: 4, example: 2 }).default(2).describe('How many factors are multiplied.'),
    degree: integer({ min: 1, max: 2, example: 1 }).default(1).describe('Degree of each factor.'),
    max: integer({ min: 2, max: 20, example: 9 }).default(9).describe('Largest coefficient, but for the first.'),
    lead: integer({ min: 1, max: 9, example: 1 }).default(1).describe('Largest first coefficient of a factor.'),
  },
  levels: [{}, { lead: 5 }, { factors: 3 }, { degree: 2, lead: 3 }],
  attributes: { factors: [2, 3, 4], degree: [1, 2], lead: [1, 3, 5, 9] },
});

export type PolynomialExpandKnobs = KnobsOf<typeof polynomialExpandCard>;
