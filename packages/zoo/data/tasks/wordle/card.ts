import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const wordleCard = taskCard({
  name: 'wordle',
  does: 'Find the hidden one of some made-up words: after each guess it is said which letters are right.',
  example: ['bado gedo gabe dobe>', 'gabe'],
  version: 1,
  category: 'environments',
  tier: 2,
  knobs: {
    length: integer({ min: 2, max: 6, example: 4 }).default(4).describe('Letters of a word.'),
    words: integer({ min: 3, max: 24, example: 8 })
      .default(8)
      .describe('Made-up words that the prompt lists; one of them is hidden.'),
    turns: integer({ min: 2, max: 6, example: 3 }).default(3).describe('Guesses; enough for any of the words.'),
  },
  levels: [{ length: 3, words: 4, turns: 2 }, {}, { words: 12 }, { length: 5, words: 24, turns: 4 }],
  attributes: { length: [3, 4, 5], words: [4, 8, 16] },
});

export type WordleKnobs = KnobsOf<typeof wordleCard>;
