/**
 * The verdict on an answer: A, right, or B, wrong. Right ones are answers of the inner task, wrong ones such with one piece
 * replaced, and each comes in half of the problems.
 *
 *   prompt      3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |      completion  B
 */
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { Derivation } from '../../derived/derived_task.ts';
import { corrupted } from '../../derived/inner.ts';

export const verifyTasks: Derivation = {
  question: 'Judge the answer to the problem: give the first letter if it is right, else the second letter:',
  draw(problem, inner, rng) {
    const labels = inner.labels(2);
    if (rng.int(0, 1) === 0) return { shown: problem.answer, answer: [labels[0]] };
    // One wrong answer of each problem, as there is one right one: in a small space, others would soon outnumber it.
    const spoiled = corrupted(problem, rngFor(`spoiled|${inner.join(problem.prompt)}`));
    return spoiled === undefined ? null : { shown: spoiled.shown, answer: [labels[1]] };
  },
  judge({ isRight }, inner, { shown }, given) {
    const said = given.length === 1 ? inner.labels(2).indexOf(given[0]) : -1;
    if (said < 0) return { is: 'unreadable' };
    return { is: (said === 0) === isRight(shown) ? 'right' : 'wrong' };
  },
  guess: (_problem, inner, _asked, rng) => [rng.pick([...inner.labels(2)])],
  further: (inner) => inner.labels(2),
  longest: (answer) => ({ shown: answer, answer: 1 }),
};
