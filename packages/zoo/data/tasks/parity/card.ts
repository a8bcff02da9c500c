/** What parity is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  bits: integer({ min: 6, max: 32, example: 8 }).default(8).describe('Digits of the longest number.'),
});

export type ParityKnobs = Values<typeof KNOBS>;

export const parityCard = {
  name: 'parity',
  does: 'Say whether the number of ones is odd.',
  example: ['par 10110>', '1'],
  version: 2,
  category: 'strings',
  tier: 1,
  knobs: KNOBS,
  levels: [{ bits: 6 }, {}, { bits: 16 }, { bits: 32 }],
  attributes: { bits: [6, 8, 16, 32] },
} satisfies TaskCard<ParityKnobs>;
