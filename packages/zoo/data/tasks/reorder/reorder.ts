/**
 * The shuffled pieces of a right answer; every order of them that the inner task accepts is right.
 *
 *   prompt      3 7 2 = 13 ? | 6 3 13 , 7 = * + 2 = 6 |      completion  3 * 2 = 6 , 7 + 6 = 13
 */
import type { Derivation } from '../../derived/derived_task.ts';

export const reorder: Derivation = {
  question: 'The pieces of an answer to the problem are shuffled. Give them all in the right order:',
  draw({ answer, isRight }, _inner, rng) {
    const shuffled = rng.shuffle([...answer]);
    return isRight(shuffled) ? null : { shown: shuffled, answer };
  },
  judge({ isRight }, _inner, { shown }, given) {
    if ([...given].sort().join('\n') !== [...shown].sort().join('\n')) return { is: 'unreadable' };
    return { is: isRight(given) ? 'right' : 'wrong' };
  },
  guess: (_problem, _inner, { shown }, rng) => rng.shuffle([...shown]),
  further: () => [],
  longest: (answer) => ({ shown: answer, answer }),
};
