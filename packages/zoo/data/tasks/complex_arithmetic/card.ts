import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const complexArithmeticCard = taskCard({
  name: 'complex_arithmetic',
  does: 'Compute with two complex numbers.',
  example: ['(3+2i)*(1-4i)>', '11-10i'],
  version: 2,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    max: integer({ min: 3, max: 99, example: 10 })
      .default(10)
      .describe('Real and imaginary parts are drawn from minus this number to this one.'),
    operations: choice(['+-', '+-*', '+-*/']).default('+-*').describe('Operations that are asked.'),
  },
  levels: [{ max: 5, operations: '+-' }, {}, { operations: '+-*/' }, { max: 99, operations: '+-*/' }],
  attributes: { max: [5, 10, 20, 99], operations: ['+-', '+-*', '+-*/'] },
});

export type ComplexArithmeticKnobs = KnobsOf<typeof complexArithmeticCard>;
