import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const modArithCard = taskCard({
  name: 'mod_arith',
  does: 'Compute the remainder of an expression.',
  example: ['(7+5)%9>', '3'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    terms: integer({ min: 2, max: 4, example: 2 }).default(2).describe('How many numbers.'),
    max: integer({ min: 9, max: 999, example: 20 }).default(20).describe('Numbers are drawn from 0 to this one.'),
    modulus: integer({ min: 3, max: 97, example: 9 }).default(9).describe('Largest modulus; the smallest is 3.'),
  },
  levels: [{ modulus: 5, max: 9 }, {}, { terms: 3, max: 99, modulus: 23 }, { terms: 4, max: 99, modulus: 97 }],
  attributes: { terms: [2, 3, 4], modulus: [5, 9, 23, 97] },
});

export type ModArithKnobs = KnobsOf<typeof modArithCard>;
