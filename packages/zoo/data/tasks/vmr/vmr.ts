/**
 * Verifiable by reframing: a right and a spoiled answer as a choice, each first in half of the problems. As in VMR.
 *
 *   prompt      3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 | 3 * 2 = 6 , 7 + 6 = 13 |      completion  B
 *
 * With `asks` the spoiled one lacks a piece or has one twice, and the prompt ends with the letter of what is asked. So two criteria
 * disagree on half of the pairs, as in Multi-Crit (arXiv:2511.21662).
 */
import type { Rng } from '../../../../../src/kernels/philox.ts';
import type { Derivation } from '../../derived/derived_task.ts';
import { corrupted, type InnerProblem } from '../../derived/inner.ts';

const CRITERIA = ['right', 'brief'];

/** A wrong answer of another length; undefined where chance finds none. */
function resized({ answer, isRight }: InnerProblem, rng: Rng): string[] | undefined {
  const place = rng.int(0, answer.length - 1);
  const kept = rng.int(0, 1) === 0 ? [] : [answer[place], answer[place]];
  const shown = answer.toSpliced(place, 1, ...kept);
  return shown.length === 0 || isRight(shown) ? undefined : shown;
}

export const vmr: Derivation = {
  question:
    'Two answers to the problem are shown. Give the first letter if the first is right, else the second letter:',
  draw(problem, inner, rng, { asks }) {
    const spoiled = asks === undefined ? corrupted(problem, rng)?.shown : resized(problem, rng);
    if (spoiled === undefined) return null;
    const right = rng.int(0, 1);
    const [first, second] = right === 0 ? [problem.answer, spoiled] : [spoiled, problem.answer];
    const shown = [...first, inner.separator, ...second];
    if (asks === undefined) return { shown, answer: [inner.labels(2)[right]] };
    const labels = inner.labels(2 + CRITERIA.length);
    const due = asks === 'right' ? right : Number(second.length < first.length);
    return { shown: [...shown, inner.separator, labels[2 + CRITERIA.indexOf(String(asks))]], answer: [labels[due]] };
  },
  judge(_problem, inner, { answer }, given) {
    if (given.length !== 1 || !inner.labels(2).includes(given[0])) return { is: 'unreadable' };
    return { is: given[0] === answer[0] ? 'right' : 'wrong' };
  },
  guess: (_problem, inner, _asked, rng) => [rng.pick([...inner.labels(2)])],
  further: (inner, { asks }) => inner.labels(asks === undefined ? 2 : 2 + CRITERIA.length),
  longest: (answer, { asks }) => ({ shown: 2 * answer + (asks === undefined ? 1 : 4), answer: 1 }),
};
