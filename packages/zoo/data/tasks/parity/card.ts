import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const parityCard = taskCard({
  name: 'parity',
  does: 'Say whether the number of ones is odd.',
  example: ['par 10110>', '1'],
  version: 2,
  category: 'strings',
  tier: 1,
  knobs: {
    bits: integer({ min: 6, max: 32, example: 8 }).default(8).describe('Digits of the longest number.'),
  },
  levels: [{ bits: 6 }, {}, { bits: 16 }, { bits: 32 }],
  attributes: { bits: [6, 8, 16, 32] },
});

export type ParityKnobs = KnobsOf<typeof parityCard>;
