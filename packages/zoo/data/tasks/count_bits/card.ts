import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const countBitsCard = taskCard({
  name: 'count_bits',
  does: 'Count the ones of a number in binary.',
  example: ['bits 13>', '3'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    bits: integer({ min: 6, max: 31, example: 10 }).default(10).describe('Numbers are below two to this power.'),
  },
  levels: [{ bits: 8 }, {}, { bits: 16 }, { bits: 31 }],
  attributes: { bits: [8, 10, 16, 31] },
});

export type CountBitsKnobs = KnobsOf<typeof countBitsCard>;
