/** What mod_arith is and which knobs it has. */
import { options, type Values, whole } from '../../../options/keys.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({
  terms: whole({ least: 2, most: 4, example: 2 }).default(2).describe('How many numbers.'),
  max: whole({ least: 9, most: 999, example: 20 }).default(20).describe('Numbers are drawn from 0 to this one.'),
  modulus: whole({ least: 3, most: 97, example: 9 }).default(9).describe('Largest modulus; the smallest is 3.'),
});

export type ModArithKnobs = Values<typeof KNOBS>;

export const modArithCard = {
  name: 'mod_arith',
  does: 'Compute the remainder of an expression.',
  example: ['(7+5)%9>', '3'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  parts: [],
  knobs: KNOBS,
  levels: [{ modulus: 5, max: 9 }, {}, { terms: 3, max: 99, modulus: 23 }, { terms: 4, max: 99, modulus: 97 }],
  attributes: { terms: [2, 3, 4], modulus: [5, 9, 23, 97] },
} satisfies TaskCard<ModArithKnobs>;
