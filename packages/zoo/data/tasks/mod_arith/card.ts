/** What mod_arith is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  terms: integer({ min: 2, max: 4, example: 2 }).default(2).describe('How many numbers.'),
  max: integer({ min: 9, max: 999, example: 20 }).default(20).describe('Numbers are drawn from 0 to this one.'),
  modulus: integer({ min: 3, max: 97, example: 9 }).default(9).describe('Largest modulus; the smallest is 3.'),
});

export type ModArithKnobs = Values<typeof KNOBS>;

export const modArithCard = {
  name: 'mod_arith',
  does: 'Compute the remainder of an expression.',
  example: ['(7+5)%9>', '3'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: KNOBS,
  levels: [{ modulus: 5, max: 9 }, {}, { terms: 3, max: 99, modulus: 23 }, { terms: 4, max: 99, modulus: 97 }],
  attributes: { terms: [2, 3, 4], modulus: [5, 9, 23, 97] },
} satisfies TaskCard<ModArithKnobs>;
