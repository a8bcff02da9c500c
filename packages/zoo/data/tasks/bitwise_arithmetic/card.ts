import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const bitwiseArithmeticCard = taskCard({
  name: 'bitwise_arithmetic',
  does: 'Compute with hexadecimal numbers, bit by bit too.',
  example: ['hex (a&6)+3>', '5'],
  version: 2,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    depth: integer({ min: 1, max: 4, example: 2 }).default(2).describe('Operations, one around the other.'),
    digits: integer({ min: 1, max: 4, example: 1 }).default(1).describe('Digits of a number, at most.'),
  },
  levels: [{ depth: 1 }, {}, { depth: 3, digits: 2 }, { depth: 4, digits: 4 }],
  attributes: { depth: [1, 2, 3, 4], digits: [1, 2, 4] },
});

export type BitwiseArithmeticKnobs = KnobsOf<typeof bitwiseArithmeticCard>;
