import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const derivativeCard = taskCard({
  name: 'derivative',
  does: 'Give the derivative of a function of x.',
  example: ['d/dx 3x^2+2x-1>', '6x+2'],
  version: 1,
  category: 'algebra',
  tier: 2,
  knobs: {
    form: choice(['polynomial', 'product', 'quotient'])
      .default('polynomial')
      .describe('Of what the derivative is asked: a polynomial, or a product or quotient of two.'),
    degree: integer({ min: 1, max: 5, example: 2 }).default(2).describe('Degree of each polynomial.'),
    max: integer({ min: 2, max: 20, example: 9 }).default(9).describe('Largest coefficient.'),
  },
  checkKnobs: ({ form, degree }) =>
    form === 'polynomial' && degree < 2
      ? [
          {
            key: 'degree',
            rule: 'must be 2 or more for a polynomial: below it the derivative is a number of the prompt',
            example: 2,
          },
        ]
      : [],
  levels: [{}, { degree: 4 }, { form: 'product', degree: 1 }, { form: 'quotient', degree: 1 }],
  attributes: { degree: [2, 3, 4, 5], max: [2, 5, 9, 20] },
});

export type DerivativeKnobs = KnobsOf<typeof derivativeCard>;
