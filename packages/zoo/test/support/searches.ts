/** Countdown's problems as searches, by default in the shortest form. */
import { takeKnobs } from '../../../../src/data/knobs.ts';
import type { CountdownKnobs } from '../../../../src/data/tasks/countdown/card.ts';
import { countdown } from '../../../../src/data/tasks/countdown/countdown.ts';
import * as search from '../../../../src/data/tasks/countdown/search.ts';
import { triesReader } from '../../methods/support/figures/read_tries.ts';

interface Problem {
  readonly numbers: readonly number[];
  readonly target: number;
}

export function spaceOf(problem: Problem, knobs: Readonly<Record<string, unknown>> = {}) {
  const { length } = problem.numbers;
  return search.spaceOf(
    problem,
    takeKnobs(countdown, {
      answer: 'search',
      numbers: length,
      ...(length > 2 && { restate: false }),
      ...knobs,
    }) as CountdownKnobs,
  );
}

export const searchOf = (problem: Problem) => triesReader(spaceOf(problem));
