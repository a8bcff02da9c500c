/** What count_bits is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  bits: integer({ min: 6, max: 31, example: 10 }).default(10).describe('Numbers are below two to this power.'),
});

export type CountBitsKnobs = Values<typeof KNOBS>;

export const countBitsCard = {
  name: 'count_bits',
  does: 'Count the ones of a number in binary.',
  example: ['bits 13>', '3'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: KNOBS,
  levels: [{ bits: 8 }, {}, { bits: 16 }, { bits: 31 }],
  attributes: { bits: [8, 10, 16, 31] },
} satisfies TaskCard<CountBitsKnobs>;
