/**
 * Mastermind: find a code of digits.
 *
 *   prompt      3 4>    digits of the code, and how many there are to choose from, from 0
 *   action      012     a code
 *   observation 11      digits that are right, and further ones that are elsewhere; ? where that was no code
 *   won         with the code, within `turns` guesses
 *   split       by hash of the code
 *
 * The expert guesses a code that agrees with all answers, one that tells the others apart best. Guesses of that kind are
 * all that is asked of a policy: the code cannot be known before.
 */
import { correct, environmentTask } from '../../kit.ts';
import { remembered } from '../../remembered.ts';
import { bestGuess, consistent, guessesNeeded, narrowed, type Told } from '../../search/consistent.ts';
import { type MastermindKnobs, mastermindCard } from './card.ts';

export type MastermindItem = { readonly code: string };
export type MastermindState = MastermindItem & { readonly told: readonly Told[] };

/** How often each digit is in a code; kept, since an expert compares hundreds of thousands of pairs. */
const counts = new Int8Array(10);

/** Digits in their place, and digits of both codes that are in another one. */
export function answerTo(guess: string, code: string): string {
  counts.fill(0);
  for (let place = 0; place < code.length; place++) counts[Number(code[place])]++;
  let [right, common] = [0, 0];
  for (let place = 0; place < guess.length; place++) {
    const digit = guess[place];
    if (digit === code[place]) right++;
    if (counts[Number(digit)]-- > 0) common++;
  }
  return `${right}${common - right}`;
}

/** All codes of some knobs, in order. */
const codesOf = remembered(({ pegs, colours }: MastermindKnobs): readonly string[] =>
  Array.from({ length: colours ** pegs }, (_, number) => number.toString(colours).padStart(pegs, '0')),
);

/** The same first guess in every episode. */
const firstGuess = remembered((codes: readonly string[]) => bestGuess(codes, answerTo));
const mostGuesses = remembered((codes: readonly string[]) => guessesNeeded(codes, answerTo));

export const mastermind = environmentTask<MastermindItem, MastermindState, MastermindKnobs>(mastermindCard, {
  characters: '0123456 >?',
  generate: (rng, knobs) => ({ code: rng.pick(codesOf(knobs)) }),
  enumerate: (knobs) => codesOf(knobs).map((code) => ({ code })),
  key: ({ code }) => `mastermind|${code}`,
  prompt: (_, { pegs, colours }) => `${pegs} ${colours}>`,
  question: (_, { pegs, colours }) =>
    `I have chosen a code of ${pegs} digits from 0 to ${colours - 1}, which may repeat. Guess it: write ${pegs} digits, and ` +
    'I say how many are right in their place, and how many others are in the code at another place.',
  start: ({ code }) => ({ code, told: [] }),
  step(state, action, knobs) {
    const codes = codesOf(knobs);
    if (!codes.includes(action)) return { state, observation: '?', illegal: true };
    if (action === state.code) return { state, potential: 1, verdict: correct('the code', action) };
    const answer = answerTo(action, state.code);
    const next = { ...state, told: [...state.told, { guess: action, answer }] };
    // Won is one step further than knowing the code.
    const potential = 0.9 * narrowed(consistent(codes, next.told, answerTo).length, codes.length);
    return { state: next, observation: answer, potential };
  },
  expert({ told }, knobs) {
    const codes = codesOf(knobs);
    return told.length === 0 ? firstGuess(codes) : bestGuess(consistent(codes, told, answerTo), answerTo);
  },
  random: (_, knobs, rng) => rng.pick(codesOf(knobs)),
  mutants: ({ code }, knobs) => ({
    'a digit more': code + code[0],
    'another code': codesOf(knobs).find((other) => other !== code) ?? '',
    'every code in one action': codesOf(knobs).join(''),
  }),
  /** A code that was not said yet, at random: each guess finds one more. */
  chance: ({ pegs, colours, turns }) => Math.min(1, turns / colours ** pegs),
  longest: ({ pegs, turns }) => ({ turns, prompt: 4, action: pegs, observation: 2, question: 280 }),
  chanceDecides: (knobs) => knobs.turns < mostGuesses(codesOf(knobs)),
});
