import { expect, it } from 'vitest';
import { betterOf } from '../../src/grpo/best.ts';
import type { BestEvaluation } from '../../src/grpo/best_evaluation.ts';
import type { Evaluation } from '../../src/methods/records.ts';
import { parseConfig } from '../support/everything.ts';

const share = (mean: number) => ({ mean, low: 0, high: 1, count: 10 });

function bestOf(evaluations: readonly (readonly [greedy: number, sampled: number])[], keys = ''): number | undefined {
  const { config } = parseConfig(`task: sort_digits\nmax_steps: 9\n${keys}`, { file: 'inline' });
  let best: BestEvaluation | undefined;
  evaluations.forEach(([greedy, sampled], step) => {
    const [accuracy, meanAtK] = [share(greedy), share(sampled)];
    const evaluation: Evaluation = {
      accuracy,
      meanAtK,
      samples: 4,
      passAtK: {},
      figures: {},
      meanLength: step,
      examples: [],
    };
    best = betterOf(best, evaluation, { stageIndex: 0, stage: 'grpo', step }, config);
  });
  return best?.step;
}

it.each<[string, readonly (readonly [number, number])[], string, number | undefined]>(
  /* biome-ignore format: a table */ [
    ['the highest greedy accuracy', [[0.2, 0.9], [0.8, 0.1], [0.5, 0.5]], '', 1],
    ['of equal ones the higher sampled accuracy', [[1, 0.6], [1, 0.9], [0.9, 1]], '', 1],
    ['of equal ones in both the earlier', [[0, 0], [1, 0.6], [1, 0.6]], '', 1],
    ['another metric, without its prefix', [[0.2, 0.9], [0.8, 0.1]], 'metric_for_best_model: mean@4', 0],
    ['the lowest, where less is better', [[0.2, 0], [0.1, 0], [0.3, 0]], 'greater_is_better: false', 1],
    ['none where no evaluation has the metric', [[0.2, 0]], 'metric_for_best_model: mean@8', undefined],
  ],
)('the best is %s', (_, evaluations, keys, step) => {
  expect(bestOf(evaluations, keys)).toBe(step);
});
