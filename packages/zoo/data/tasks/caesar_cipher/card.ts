import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const caesarCipherCard = taskCard({
  name: 'caesar_cipher',
  does: 'Shift the letters of a made-up word back.',
  example: ['rot 3 fde>', 'cab'],
  version: 1,
  category: 'strings',
  tier: 1,
  knobs: {
    length: integer({ min: 3, max: 60, example: 5 }).default(5).describe('Letters of the longest word.'),
    shift: integer({ min: 1, max: 25, example: 5 }).default(5).describe('Largest shift.'),
  },
  levels: [{ length: 4, shift: 3 }, {}, { length: 10, shift: 12 }, { length: 30, shift: 25 }],
  attributes: { length: [4, 5, 10, 30], shift: [3, 5, 12, 25] },
});

export type CaesarCipherKnobs = KnobsOf<typeof caesarCipherCard>;
