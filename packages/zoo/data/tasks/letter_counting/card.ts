import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const letterCountingCard = taskCard({
  name: 'letter_counting',
  does: 'Count a letter of a made-up word.',
  example: ['# a banana>', '3'],
  version: 1,
  category: 'strings',
  tier: 1,
  knobs: {
    length: integer({ min: 5, max: 60, example: 8 }).default(8).describe('Letters of the longest word.'),
    alphabet: integer({ min: 3, max: 26, example: 8 })
      .default(8)
      .describe('Words are made of this many of the first letters.'),
  },
  levels: [{ length: 6, alphabet: 5 }, {}, { length: 20, alphabet: 12 }, { length: 60, alphabet: 26 }],
  attributes: { length: [6, 8, 20, 60], alphabet: [3, 5, 8, 26] },
});

export type LetterCountingKnobs = KnobsOf<typeof letterCountingCard>;
