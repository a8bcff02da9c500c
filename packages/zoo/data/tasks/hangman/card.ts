import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const hangmanCard = taskCard({
  name: 'hangman',
  does: 'Uncover a hidden word, one of some made-up ones, letter by letter, with few wrong letters.',
  example: ['bado gedo gabe dobe>', 'd'],
  version: 1,
  category: 'environments',
  tier: 2,
  knobs: {
    length: integer({ min: 2, max: 6, example: 4 }).default(4).describe('Letters of a word.'),
    words: integer({ min: 2, max: 16, example: 6 })
      .default(6)
      .describe('Made-up words that the prompt lists; one of them is hidden.'),
    misses: integer({ min: 0, max: 6, example: 2 })
      .default(2)
      .describe('Letters that are not in the word and do not lose yet.'),
  },
  levels: [{ length: 3, words: 3, misses: 1 }, {}, { words: 10 }, { length: 6, words: 12 }],
  attributes: { length: [3, 4, 6], words: [3, 6, 9], misses: [3, 2] },
});

export type HangmanKnobs = KnobsOf<typeof hangmanCard>;
