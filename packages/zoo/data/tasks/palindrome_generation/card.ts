import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const palindromeGenerationCard = taskCard({
  name: 'palindrome_generation',
  does: 'Make a palindrome of letters.',
  example: ['pal abab>', 'abba'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    length: integer({ min: 4, max: 14, example: 6 }).default(6).describe('Letters, at most.'),
    alphabet: integer({ min: 3, max: 26, example: 6 }).default(6).describe('How many of the first letters are used.'),
  },
  levels: [{ length: 5, alphabet: 5 }, {}, { length: 9, alphabet: 10 }, { length: 14, alphabet: 26 }],
  attributes: { length: [5, 6, 9, 14], alphabet: [5, 6, 10, 26] },
});

export type PalindromeGenerationKnobs = KnobsOf<typeof palindromeGenerationCard>;
