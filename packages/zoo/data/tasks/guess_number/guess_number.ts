/**
 * Find a hidden number in a few guesses.
 *
 *   prompt      37 51>          the hidden number is one of these
 *   action      44
 *   observation < or >          it is lower or higher than the guess; ? where that was no number of the range
 *   won         with the guess that is the number
 *   split       by hash of the first number and the hidden one
 */
import { correct, environmentTask } from '../../kit.ts';
import { type GuessNumberKnobs, guessNumberCard } from './card.ts';

export type GuessNumberItem = { readonly low: number; readonly high: number; readonly hidden: number };
/** `from` and `to`: what the answers so far leave. */
export type GuessNumberState = GuessNumberItem & { readonly from: number; readonly to: number };

const NUMBER = /^(?:0|[1-9]\d{0,3})$/;

/** Guesses that halving needs at most. */
function guessesFor(numbers: number): number {
  let guesses = 0;
  for (let among = numbers; among >= 1; among = Math.floor(among / 2)) guesses++;
  return guesses;
}

export const guessNumber = environmentTask<GuessNumberItem, GuessNumberState, GuessNumberKnobs>(guessNumberCard, {
  characters: ' 0123456789<>?',
  generate(rng, { max, numbers }) {
    const low = rng.int(0, max + 1 - numbers);
    return { low, high: low + numbers - 1, hidden: low + rng.int(0, numbers - 1) };
  },
  key: ({ low, high, hidden }) => `guess_number|${low}|${high}|${hidden}`,
  prompt: ({ low, high }) => `${low} ${high}>`,
  question: ({ low, high }) =>
    `I have chosen a whole number from ${low} to ${high}. Guess it: write a number alone, and I say whether mine is lower or higher.`,
  start: (item) => ({ ...item, from: item.low, to: item.high }),
  step(state, action) {
    const guess = NUMBER.test(action) ? Number(action) : -1;
    if (guess < state.low || guess > state.high) return { state, observation: '?', illegal: true };
    if (guess === state.hidden) return { state, potential: 1, verdict: correct('the hidden number', action) };
    const isLower = state.hidden < guess;
    const next = isLower
      ? { ...state, to: Math.min(state.to, guess - 1) }
      : { ...state, from: Math.max(state.from, guess + 1) };
    const needed = guessesFor(Math.max(1, next.to - next.from + 1));
    const potential = 1 - needed / (guessesFor(state.high - state.low + 1) + 1);
    return { state: next, observation: isLower ? '<' : '>', potential };
  },
  expert: ({ from, to }) => String(Math.floor((from + to) / 2)),
  random: ({ low, high }, _, rng) => String(rng.int(low, high)),
  /** A number that was not said yet, at random: each guess finds one more. */
  chance: ({ numbers, turns }) => Math.min(1, turns / numbers),
  longest({ max, turns }) {
    const digits = String(max).length;
    return { turns, prompt: 2 * digits + 2, action: digits, observation: 1 };
  },
});
