/** `rlvr-train compare --mixture`: which shares of the tasks the runs say are best. */

import { ConfigError } from '../../../src/errors.ts';
import { meanOf } from '../../../src/methods/statistics.ts';
import type { ComparedRun } from '../../compare/compare.ts';
import { type FittedMixture, fitMixture } from '../../compare/mixture.ts';

/** What is fitted, and to what. */
interface MixtureFacts extends FittedMixture {
  readonly tasks: readonly string[];
  readonly runs: number;
}

/** @throws ConfigError where the runs do not differ in task_weights, or are fewer than the tasks */
export function mixtureOf(runs: readonly ComparedRun[]): MixtureFacts {
  const weights = runs.map(weightsOf);
  const tasks = [...new Set(weights.flatMap((own) => Object.keys(own)))];
  if (tasks.length < 2)
    throw new ConfigError(
      'no-mixture',
      '--mixture: no task_weights of several tasks in these runs; train some with different ones.',
    );
  if (runs.length < tasks.length) {
    const rule = `${runs.length} runs for ${tasks.length} tasks — give one for each task at least, better two`;
    throw new ConfigError('few-runs', `--mixture: ${rule}.`, { runs: runs.length, tasks });
  }
  const fitted = fitMixture(
    runs.map(({ records }, i) => {
      const own = tasks.map((task) => weights[i][task] ?? 0);
      const sum = own.reduce((all, weight) => all + weight, 0);
      const rates = records.problems.map(({ samples }) => meanOf(samples.map(({ score }) => Number(score === 1))));
      return { shares: own.map((weight) => weight / sum), score: meanOf(rates) };
    }),
  );
  return { ...fitted, tasks, runs: runs.length };
}

/** As a terminal shows it. */
export function mixtureLines({ tasks, shares, score, residual, runs }: MixtureFacts): string[] {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const written = tasks.map((task, i) => `${task}: ${Number(shares[i].toFixed(3))}`).join(', ');
  return [
    `A quadratic of the shares of ${tasks.length} tasks, fitted to ${runs} runs, misses them by ${percent(residual)} (root mean square).`,
    `Its best mixture is thought to reach ${percent(score)} sampled:`,
    `  task_weights: {${written}}`,
    'A fit of few runs is a guess: train it beside the best of them.',
  ];
}

/** Those of its last stage that has some. */
function weightsOf({ config }: ComparedRun): Readonly<Record<string, number>> {
  const found = Object.entries(config).flatMap(([key, value]) => {
    const [, stage, task] = /^(.*?)\.?task_weights\.(.+)$/.exec(key) ?? [];
    return task === undefined || typeof value !== 'number' ? [] : [{ stage, task, value }];
  });
  const last = found.at(-1)?.stage;
  return Object.fromEntries(found.flatMap(({ stage, task, value }) => (stage === last ? [[task, value]] : [])));
}
