/**
 * The next pieces of an answer whose beginning is shown: those of any right answer that the inner task lists and that begins
 * so. After RLPT.
 *
 *   prompt      3 7 2 = 13 ? | 3 * 2 = 6 , |      completion  7 + 6
 */
import type { Derivation } from '../../derived/derived_task.ts';

/** Right answers that are looked at, however many the inner task lists. */
const MOST_ANSWERS = 2000;

export const nextSegment: Derivation = {
  question: 'The beginning of an answer to the problem is shown. Give the next pieces of it:',
  draw({ answer }, _inner, rng, { segment }) {
    const length = Math.min(Number(segment), answer.length);
    const from = rng.int(0, answer.length - length);
    return { shown: answer.slice(0, from), answer: answer.slice(from, from + length) };
  },
  judge(problem, _inner, { shown, answer }, given) {
    if (given.length !== answer.length) return { is: 'unreadable' };
    const begun = [...shown, ...given].join('\n');
    let seen = 0;
    for (const right of problem.answers()) {
      if (right.slice(0, shown.length + given.length).join('\n') === begun) return { is: 'right' };
      if (++seen >= MOST_ANSWERS) break;
    }
    return { is: 'wrong' };
  },
  guess: ({ answer, alphabet }, _inner, { answer: asked }, rng) =>
    asked.map(() => rng.pick([...answer, rng.pick([...alphabet])])),
  further: () => [],
  needsListed: true,
  longest: (answer, { segment }) => ({ shown: answer, answer: Math.min(answer, Number(segment)) }),
};
