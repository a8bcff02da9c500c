/**
 * The best evaluation of a run. Its weights are kept, and become the model if `load_best_model_at_end` is set.
 *
 * It is chosen over all stages, since every evaluation asks the same held-out problems. Ties go to the higher sampled
 * accuracy, which still rises after greedy accuracy has reached 100 %, then to the earlier evaluation. Requested
 * evaluations do not count: they must not change any later bit, the model's included.
 */
import type { RunConfig } from '../config/run_config.ts';
import type { TaskSet } from '../data/task_set.ts';
import { ConfigError } from '../errors.ts';
import type { EvaluationFigure } from '../methods/points.ts';
import type { Evaluation } from '../methods/records.ts';
import type { BestEvaluation, Place } from './best_evaluation.ts';
import { passes } from './evaluate.ts';
import { evaluationMetrics } from './metrics.ts';

const DEFAULT_METRIC = 'eval_accuracy';

/** The metric of a config, with the prefix that users may leave out. */
export function bestMetric({ metricForBestModel: named = DEFAULT_METRIC }: RunConfig): string {
  return named.startsWith('eval_') ? named : `eval_${named}`;
}

/** The better of the best evaluation so far and a new one, which loses if it lacks the metric. */
export function betterOf(
  best: BestEvaluation | undefined,
  evaluation: Evaluation,
  place: Place,
  config: RunConfig,
): BestEvaluation | undefined {
  const metric = bestMetric(config);
  const value: number | undefined = evaluationMetrics(evaluation)[metric];
  if (value === undefined || !Number.isFinite(value)) return best;
  const { greaterIsBetter = true } = config;
  const gain = best === undefined ? 1 : greaterIsBetter ? value - best.value : best.value - value;
  const surer = evaluation.meanAtK.mean - (best?.evaluation.meanAtK.mean ?? 0);
  return gain > 0 || (gain === 0 && surer > 0) ? { ...place, metric, value, evaluation } : best;
}

/**
 * Checks before the first step that the last stage's evaluations will have the config's metric. Earlier stages may have
 * another num_generations_eval; their evaluations then do not count.
 *
 * @param figures  further figures of the last stage's evaluations
 * @throws ConfigError with the names that there are
 */
export function requireBestMetric(config: RunConfig, tasks: TaskSet, figures: readonly EvaluationFigure[]): void {
  const named = config.metricForBestModel;
  const samples = config.stages.at(-1)?.evaluation.samples ?? 1;
  const labels = tasks.shares.length > 1 ? tasks.shares.map(({ label }) => label) : [];
  const ofFigures = figures.map(({ name }) => `eval_${name}`);
  const metrics = [
    DEFAULT_METRIC,
    ...labels.map((label) => `eval_accuracy/${label}`),
    `eval_mean@${samples}`,
    ...labels.map((label) => `eval_mean@${samples}/${label}`),
    ...passes(samples).map((k) => `eval_pass@${k}`),
    ...ofFigures,
    'eval_completions/mean_length',
  ];
  if (named === undefined || metrics.includes(bestMetric(config))) return;
  const isOfTraining = /loss|reward/.test(named);
  const rule = isOfTraining ? 'held-out problems have no loss and no reward, only verdicts' : 'no evaluation has it';
  const message = `metric_for_best_model: ${named} — ${rule}; use one of ${metrics.join(', ')}.`;
  throw new ConfigError('unknown-metric', message, { path: 'metric_for_best_model' });
}
