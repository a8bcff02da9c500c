import { flag, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const antiderivativeCard = taskCard({
  name: 'antiderivative',
  does: 'Give a function whose derivative is the one that is asked.',
  example: ['int 6x+2>', '3x^2+2x'],
  version: 1,
  category: 'algebra',
  tier: 2,
  knobs: {
    degree: integer({ min: 1, max: 5, example: 2 }).default(1).describe('Degree of the polynomial.'),
    max: integer({ min: 2, max: 20, example: 9 })
      .default(9)
      .describe('Largest coefficient of the answer where `whole`, else of the problem.'),
    whole: flag().default(true).describe('Whether the coefficients of the answer are whole.'),
  },
  levels: [{}, { degree: 2 }, { degree: 2, whole: false }, { degree: 4, max: 20, whole: false }],
  attributes: { degree: [1, 2, 3, 5], max: [2, 5, 9, 20] },
});

export type AntiderivativeKnobs = KnobsOf<typeof antiderivativeCard>;
