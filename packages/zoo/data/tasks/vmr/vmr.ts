/**
 * Verifiable by reframing: a right and a spoiled answer as a choice, each first in half of the problems. As in VMR.
 *
 *   prompt      3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 | 3 * 2 = 6 , 7 + 6 = 13 |      completion  B
 */
import type { Derivation } from '../../derived/derived_task.ts';
import { corrupted } from '../../derived/inner.ts';

export const vmr: Derivation = {
  question:
    'Two answers to the problem are shown. Give the first letter if the first is right, else the second letter:',
  draw(problem, inner, rng) {
    const spoiled = corrupted(problem, rng)?.shown;
    if (spoiled === undefined) return null;
    const right = rng.int(0, 1);
    const [first, second] = right === 0 ? [problem.answer, spoiled] : [spoiled, problem.answer];
    return { shown: [...first, inner.separator, ...second], answer: [inner.labels(2)[right]] };
  },
  judge(_problem, inner, { answer }, given) {
    if (given.length !== 1 || !inner.labels(2).includes(given[0])) return { is: 'unreadable' };
    return { is: given[0] === answer[0] ? 'right' : 'wrong' };
  },
  guess: (_problem, inner, _asked, rng) => [rng.pick([...inner.labels(2)])],
  further: (inner) => inner.labels(2),
  longest: (answer) => ({ shown: 2 * answer + 1, answer: 1 }),
};
