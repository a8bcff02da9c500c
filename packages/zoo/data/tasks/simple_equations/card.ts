import { flag, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const simpleEquationsCard = taskCard({
  name: 'simple_equations',
  does: 'Solve a linear equation.',
  example: ['3x+4=19>', '5'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    coefficient: integer({ min: 3, max: 100, example: 9 }).default(9).describe('Largest coefficient.'),
    solution: integer({ min: 5, max: 999, example: 20 })
      .default(20)
      .describe('Largest solution, positive or negative.'),
    both_sides: flag().default(false).describe('Whether x is on both sides.'),
  },
  levels: [
    { coefficient: 5, solution: 10 },
    {},
    { coefficient: 20, both_sides: true },
    { coefficient: 100, solution: 99, both_sides: true },
  ],
  attributes: { coefficient: [5, 9, 20, 100], solution: [10, 20, 99] },
});

export type SimpleEquationsKnobs = KnobsOf<typeof simpleEquationsCard>;
