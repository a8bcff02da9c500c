/**
 * How often a letter is in a made-up word.
 *
 * The count is drawn first, and the word is made to have it: in random words, most letters are there once or not at all.
 */
import { judgeNumber, LETTERS, lineTask, numberMisses } from '../../kit.ts';
import { type LetterCountingKnobs, letterCountingCard } from './card.ts';

export type LetterCountingItem = { readonly letter: string; readonly word: string };

/** Most times that the letter is there. */
const MOST = 9;

function countOf({ letter, word }: LetterCountingItem): number {
  return word.split(letter).length - 1;
}

export const letterCounting = lineTask<LetterCountingItem, LetterCountingKnobs>(letterCountingCard, {
  characters: `${LETTERS}# 0123456789>`,
  generate(rng, { length, alphabet }) {
    const letters = rng.int(5, length);
    const count = rng.int(0, Math.min(MOST, Math.floor(0.75 * letters)));
    const letter = LETTERS[rng.int(0, alphabet - 1)] as string;
    const others = LETTERS.slice(0, alphabet).replace(letter, '');
    const word = Array.from({ length: letters }, (_, i) =>
      i < count ? letter : others[rng.int(0, others.length - 1)],
    );
    return { letter, word: rng.shuffle(word).join('') };
  },
  key: ({ letter, word }) => `letters|${letter}|${word}`,
  prompt: ({ letter, word }) => `# ${letter} ${word}>`,
  question: ({ letter, word }) => `How many times is the letter ${letter} in ${word}?`,
  oracle: (item) => String(countOf(item)),
  verify: (item, answer) => judgeNumber(answer, countOf(item)),
  mutants: (item) => ({
    ...numberMisses(countOf(item)),
    'several counts': '1 2 3 4',
    'the letters': item.word.replace(/./g, (one) => (one === item.letter ? one : '')) || 'no',
    'the word': item.word,
  }),
  /** The counts are equally likely: at five letters there are four of them. */
  chance: ({ length }) => (length <= 10 ? 0.3 : 0.2),
  longest: ({ length }) => ({ prompt: length + 5, answer: 1 }),
});
