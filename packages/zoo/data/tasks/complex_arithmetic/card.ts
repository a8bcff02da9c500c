/** What complex_arithmetic is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { choice, integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  max: integer({ min: 3, max: 99, example: 10 })
    .default(10)
    .describe('Real and imaginary parts are drawn from minus this number to this one.'),
  operations: choice(['+-', '+-*', '+-*/']).default('+-*').describe('Operations that are asked.'),
});

export type ComplexArithmeticKnobs = Values<typeof KNOBS>;

export const complexArithmeticCard = {
  name: 'complex_arithmetic',
  does: 'Compute with two complex numbers.',
  example: ['(3+2i)*(1-4i)>', '11-10i'],
  version: 2,
  category: 'arithmetic',
  tier: 2,
  knobs: KNOBS,
  levels: [{ max: 5, operations: '+-' }, {}, { operations: '+-*/' }, { max: 99, operations: '+-*/' }],
  attributes: { max: [5, 10, 20, 99], operations: ['+-', '+-*', '+-*/'] },
} satisfies TaskCard<ComplexArithmeticKnobs>;
