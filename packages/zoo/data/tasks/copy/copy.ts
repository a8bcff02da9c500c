/** A made-up word, repeated. */
import { judgeText, lineTask, textMisses } from '../../kit.ts';
import { type CopyKnobs, copyCard } from './card.ts';

export type CopyItem = { readonly word: string };

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

export const copy = lineTask<CopyItem, CopyKnobs>(copyCard, {
  characters: `${LETTERS} >`,
  generate(rng, { length, alphabet }) {
    const letters = rng.int(Math.min(3, length), length);
    return { word: Array.from({ length: letters }, () => LETTERS[rng.int(0, alphabet - 1)]).join('') };
  },
  key: ({ word }) => `copy|${word}`,
  prompt: ({ word }) => `copy ${word}>`,
  question: ({ word }) => `Repeat the word ${word}.`,
  separator: '',
  oracle: ({ word }) => word,
  verify: ({ word }, answer) => judgeText(answer, word),
  mutants: ({ word }, _knobs, rng) => ({ ...textMisses(word, LETTERS, rng), 'with the prompt': `copy ${word}>` }),
  /** A word of the least length, in the fifth that is held out; half of all words have it where there are two lengths. */
  chance: ({ length, alphabet }) => {
    const least = Math.min(3, length);
    return Math.max(1 / 512, 5 / ((length - least + 1) * alphabet ** least));
  },
  longest: ({ length }) => ({ prompt: length + 6, answer: length }),
});
