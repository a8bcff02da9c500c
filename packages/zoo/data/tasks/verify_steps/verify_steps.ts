/**
 * A verdict on each step of an answer, in order: A, right, or B, wrong. Steps are those of the inner task's verifier, each
 * judged by itself. Right answers and such with one piece replaced come in half of the problems each.
 *
 *   prompt      3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |      completion  A B
 *
 * @see ThinkPRM, arXiv:2504.16828: a chain of verdicts, kept where it agrees with the labels of the steps
 */
import { ConfigError } from '../../../../../src/errors.ts';
import type { Derivation } from '../../derived/derived_task.ts';
import { corrupted, type Inner, type InnerProblem } from '../../derived/inner.ts';

export const verifySteps: Derivation = {
  question:
    'Judge each step of the answer to the problem: give the first letter if it is right, else the second letter:',
  draw(problem, inner, rng) {
    const shown = rng.int(0, 1) === 0 ? problem.answer : corrupted(problem, rng)?.shown;
    return shown === undefined ? null : { shown, answer: verdictsOn(problem, inner, shown) };
  },
  judge(problem, inner, { shown }, given) {
    const labels = inner.labels(2);
    const due = verdictsOn(problem, inner, shown);
    if (given.length !== due.length || given.some((label) => !labels.includes(label))) return { is: 'unreadable' };
    return { is: given.join() === due.join() ? 'right' : 'wrong' };
  },
  guess: (_problem, inner, { answer }, rng) => answer.map(() => rng.pick([...inner.labels(2)])),
  further: (inner) => inner.labels(2),
  longest: (answer) => ({ shown: answer, answer }),
};

/** @throws ConfigError where the verifier of the inner task gives no steps */
function verdictsOn({ identity }: InnerProblem, inner: Inner, shown: readonly string[]): string[] {
  const [right, wrong] = inner.labels(2);
  const asked = { finishReason: 'eos', wantsSteps: true } as const;
  const { steps = [] } = inner.definition.verify(identity, inner.join(shown), inner.knobs, asked);
  if (steps.length > 0) return steps.map(({ score }) => (score === 1 ? right : wrong));
  const rule = 'its verifier judges no steps; use a task of steps, such as countdown';
  throw new ConfigError('bad-option', `task.of: ${JSON.stringify(inner.name)} — ${rule}.`, { path: 'task.of' });
}
