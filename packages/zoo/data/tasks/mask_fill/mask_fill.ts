/**
 * Hidden pieces of a right answer, in their order. Whatever makes the answer right again is right.
 *
 *   prompt      3 7 2 = 13 ? | 3 * _ = 6 , 7 + 6 = _ |      completion  2 13
 */
import type { Derivation } from '../../derived/derived_task.ts';
import { alike, drawPlaces } from '../../derived/inner.ts';

export const maskFill: Derivation = {
  question: 'An answer to the problem is shown with gaps. Give what is missing, from left to right, and nothing else:',
  draw({ answer }, { gap }, rng, { masks }) {
    const places = drawPlaces(rng, answer.length, Number(masks));
    return {
      shown: answer.map((piece, i) => (places.includes(i) ? gap : piece)),
      answer: places.map((place) => answer[place]),
    };
  },
  judge({ isRight }, { gap }, { shown, answer }, given) {
    if (given.length !== answer.length) return { is: 'unreadable' };
    const next = [...given];
    const filled = shown.map((piece) => (piece === gap ? (next.shift() ?? piece) : piece));
    return { is: isRight(filled) ? 'right' : 'wrong' };
  },
  guess: ({ alphabet }, _inner, { answer }, rng) =>
    answer.map((piece) => (rng.int(0, 1) === 0 ? piece : rng.pick([piece, ...alike(piece, alphabet)]))),
  further: () => [],
  longest: (answer, { masks }) => ({ shown: answer, answer: Math.min(answer, Number(masks)) }),
};
