/**
 * Hangman over made-up words, which the prompt lists: one of them is hidden.
 *
 *   prompt      bado gedo gabe dobe>    the words
 *   action      d                       a letter that was not said yet
 *   observation d___                    the letters that are uncovered; ? where that was no letter, or one that was said
 *   won         with every letter uncovered; lost with more than `misses` letters that are not in the word
 *   split       by hash of the words and the hidden one
 *
 * Words are drawn again until the expert finds every one of them: he says the letter that most of the words that are left
 * have, of those the one that tells them apart best.
 */
import { correct, drawSyllables, environmentTask, inOrder, SYLLABLE_LETTERS, wrongValue } from '../../kit.ts';
import { type HangmanKnobs, hangmanCard } from './card.ts';

export type HangmanItem = { readonly words: readonly string[]; readonly hidden: string };
/** `said`: the letters, in order. */
export type HangmanState = HangmanItem & { readonly said: string };

const COVERED = '_';

function shown(word: string, said: string): string {
  let seen = '';
  for (const letter of word) seen += said.includes(letter) ? letter : COVERED;
  return seen;
}

const missesOf = (word: string, said: string): number =>
  said.split('').filter((letter) => !word.includes(letter)).length;

/** The words that look the same so far. */
function left({ words, hidden, said }: HangmanState): string[] {
  return words.filter((word) => shown(word, said) === shown(hidden, said));
}

/** Letters of some words that were not said. */
function open(words: readonly string[], said: string): string[] {
  return inOrder([...new Set(words.join(''))].filter((letter) => !said.includes(letter)));
}

function bestLetter(words: readonly string[], said: string): string {
  const having = (letter: string): number => words.filter((word) => word.includes(letter)).length;
  const parts = (letter: string): number => new Set(words.map((word) => shown(word, letter))).size;
  const letters = open(words, said).map((letter) => ({ letter, having: having(letter) }));
  const most = Math.max(...letters.map((one) => one.having));
  const commonest = letters.flatMap((one) => (one.having === most ? [one.letter] : []));
  if (commonest.length === 1) return commonest[0];
  return commonest.reduce((best, letter) => (parts(letter) > parts(best) ? letter : best));
}

/** Whether the expert uncovers each of the words within this many misses. */
function canBeFound(words: readonly string[], misses: number): boolean {
  return words.every((hidden) => {
    let said = '';
    while (shown(hidden, said) !== hidden) {
      said += bestLetter(left({ words, hidden, said }), said);
      if (missesOf(hidden, said) > misses) return false;
    }
    return true;
  });
}

export const hangman = environmentTask<HangmanItem, HangmanState, HangmanKnobs>(hangmanCard, {
  characters: `${SYLLABLE_LETTERS} >_?`,
  generate(rng, { length, words: count }) {
    const words = Array.from({ length: count }, () => drawSyllables(rng, length));
    return new Set(words).size < count ? null : { words, hidden: rng.pick(words) };
  },
  isFit: ({ words }, { misses }) => canBeFound(words, misses),
  key: ({ words, hidden }) => `hangman|${words.join(' ')}|${hidden}`,
  prompt: ({ words }) => `${words.join(' ')}>`,
  question: ({ words }, { misses }) =>
    `I think of one of these words: ${words.join(', ')}. Write a letter, and I show where my word has it. With ` +
    `${misses + 1} letters that it does not have you lose.`,
  start: (item) => ({ ...item, said: '' }),
  step(state, action, { misses }) {
    const { hidden, said } = state;
    const isNew = action.length === 1 && SYLLABLE_LETTERS.includes(action) && !said.includes(action);
    if (!isNew) return { state, observation: '?', illegal: true };
    const next = { ...state, said: said + action };
    const seen = shown(hidden, next.said);
    const potential = seen.split('').filter((letter) => letter !== COVERED).length / hidden.length;
    if (seen === hidden) return { state: next, potential, verdict: correct('every letter is uncovered', hidden) };
    if (missesOf(hidden, next.said) > misses) {
      return { state: next, potential, verdict: wrongValue('too many letters are not in the word') };
    }
    return { state: next, observation: seen, potential };
  },
  expert: (state) => bestLetter(left(state), state.said),
  /** A letter of any of the words. */
  random: ({ words, said }, _, rng) => rng.pick(open(words, said)),
  mutants: ({ hidden }) => ({
    'the whole word in one action': hidden,
    'its first letter again and again': Array.from({ length: hidden.length }, () => hidden[0]).join('\n'),
  }),
  /** Counted, of 400 games at random: 24 % on the easiest level, 22 % by default; with more misses it is more. */
  chance: ({ misses, length, words }) => (misses > 2 || length < 3 || words < 3 ? 1 : 0.6),
  longest: ({ length, words, misses }) => ({
    turns: length + misses,
    prompt: words * (length + 1),
    action: 1,
    observation: length,
    question: 160 + words * (length + 2),
  }),
});
