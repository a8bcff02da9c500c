/**
 * Find the hidden one of some made-up words, which the prompt lists: nothing is learned by heart.
 *
 *   prompt      bado gedo gabe dobe>    one of these is hidden
 *   action      gabe                    one of them
 *   observation -+.=                    by letter: = is right, + is elsewhere in the word, - is not in it
 *   won         with the word, within `turns` guesses
 *   split       by hash of the words and the hidden one
 *
 * A letter that the guess has more often than the word counts as elsewhere, from the left, only as often as the word has it
 * beside those that are right. Words are drawn again until the expert, who guesses what agrees with all answers and tells
 * the rest apart best, finds every one of them in time.
 */
import { correct, drawSyllables, environmentTask, SYLLABLE_LETTERS } from '../../kit.ts';
import { bestGuess, consistent, guessesNeeded, narrowed, type Told } from '../../search/consistent.ts';
import { type WordleKnobs, wordleCard } from './card.ts';

export type WordleItem = { readonly words: readonly string[]; readonly hidden: string };
export type WordleState = WordleItem & { readonly told: readonly Told[] };

const RIGHT = '=';
const ELSEWHERE = '+';
const ABSENT = '-';

/** One mark a letter. */
export function marksOf(guess: string, word: string): string {
  const left = word.split('').filter((letter, at) => letter !== guess[at]);
  const marks = guess.split('').map((letter, at) => {
    if (letter === word[at]) return RIGHT;
    const found = left.indexOf(letter);
    if (found < 0) return ABSENT;
    left.splice(found, 1);
    return ELSEWHERE;
  });
  return marks.join('');
}

export const wordle = environmentTask<WordleItem, WordleState, WordleKnobs>(wordleCard, {
  characters: `${SYLLABLE_LETTERS} >=+-?`,
  generate(rng, { length, words: count }) {
    const words = Array.from({ length: count }, () => drawSyllables(rng, length));
    return new Set(words).size < count ? null : { words, hidden: rng.pick(words) };
  },
  isFit: ({ words }, { turns }) => guessesNeeded(words, marksOf) <= turns,
  key: ({ words, hidden }) => `wordle|${words.join(' ')}|${hidden}`,
  prompt: ({ words }) => `${words.join(' ')}>`,
  question: ({ words }) =>
    `I think of one of these words: ${words.join(', ')}. Guess it: write one of them, and I mark each letter: = is right, ` +
    '+ is elsewhere in my word, - is not in it.',
  start: (item) => ({ ...item, told: [] }),
  step(state, action) {
    const { words, hidden, told } = state;
    if (!words.includes(action)) return { state, observation: '?', illegal: true };
    if (action === hidden) return { state, potential: 1, verdict: correct('the hidden word', action) };
    const next = { ...state, told: [...told, { guess: action, answer: marksOf(action, hidden) }] };
    const left = consistent(words, next.told, marksOf).length;
    return { state: next, observation: marksOf(action, hidden), potential: 0.9 * narrowed(left, words.length) };
  },
  expert: ({ words, told }) => bestGuess(consistent(words, told, marksOf), marksOf),
  random: ({ words }, _, rng) => rng.pick([...words]),
  mutants: ({ words, hidden }) => ({
    'another word': words.find((word) => word !== hidden) ?? '',
    'all words in one action': words.join(' '),
    'the marks of the right word': RIGHT.repeat(hidden.length),
  }),
  /** A word that was not said yet, at random: each guess finds one more. */
  chance: ({ words, turns }) => Math.min(1, turns / words),
  longest: ({ length, words, turns }) => ({
    turns,
    prompt: words * (length + 1),
    action: length,
    observation: length,
    question: 180 + words * (length + 2),
  }),
});
