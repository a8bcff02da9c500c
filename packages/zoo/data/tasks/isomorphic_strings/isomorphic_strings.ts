/**
 * Whether each letter of one word stands for one letter of the other, and two never for the same.
 *
 * Half of the pairs do; the others differ from such a pair in one letter.
 */
import { judgeTruth } from '../../judging/judge.ts';
import { drawWord, LETTERS, lineTask, truthMisses } from '../../kit.ts';
import { type IsomorphicStringsKnobs, isomorphicStringsCard } from './card.ts';

export type IsomorphicStringsItem = { readonly one: string; readonly other: string };

/** First places of the letters: equal for words of one form. */
function formOf(word: string): string {
  return word
    .split('')
    .map((letter) => word.indexOf(letter))
    .join(',');
}

/** Far more than are ever needed. */
const MOST_DRAWS = 100;

const areAlike = ({ one, other }: IsomorphicStringsItem): boolean => formOf(one) === formOf(other);

export const isomorphicStrings = lineTask<IsomorphicStringsItem, IsomorphicStringsKnobs>(isomorphicStringsCard, {
  characters: `${LETTERS} >`,
  generate(rng, { length, alphabet }) {
    // Few letters in a word, so that some are there several times.
    const one = drawWord(rng, rng.int(4, length), Math.min(alphabet, 3 + Math.floor(length / 4)));
    const meant = rng.shuffle(LETTERS.slice(0, alphabet).split(''));
    const other = one.split('').map((letter) => meant[LETTERS.indexOf(letter)] as string);
    if (rng.int(0, 1) === 1) return { one, other: other.join('') };
    // Drawn again where the words are alike all the same, so that half of the problems are a no.
    for (let draw = 0; draw < MOST_DRAWS; draw++) {
      const changed = [...other];
      changed[rng.int(0, changed.length - 1)] = meant[rng.int(0, meant.length - 1)] as string;
      const item = { one, other: changed.join('') };
      if (!areAlike(item)) return item;
    }
    return null;
  },
  key: ({ one, other }) => `iso|${one}|${other}`,
  prompt: ({ one, other }) => `iso ${one} ${other}>`,
  question: ({ one, other }) =>
    `Can ${one} be turned into ${other} by replacing each letter by another one, always the same, and no two by one? Answer yes or no.`,
  oracle: (item) => (areAlike(item) ? 'yes' : 'no'),
  verify: (item, answer) => judgeTruth(answer, areAlike(item), ['yes', 'no']),
  mutants: (item) => truthMisses(areAlike(item)),
  chance: () => 0.5,
  longest: ({ length }) => ({ prompt: 2 * length + 6, answer: 3 }),
});
