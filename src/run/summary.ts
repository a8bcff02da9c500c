/** summary.json: a run's results, baseline and duration. */

import type { Said } from '../diagnostics/watch.ts';
import type { BestEvaluation } from '../grpo/best_evaluation.ts';
import { evaluationMetrics } from '../grpo/metrics.ts';
import { type ConfiguredModel, type Progress, stepsOf } from '../grpo/run.ts';
import type { Evaluation, Seconds } from '../methods/records.ts';
import { type Reached, type Rise, riseOf } from '../methods/support/figures/rise.ts';
import { countParameters } from '../model/parameters.ts';
import type { Fingerprint } from './fingerprint/fingerprint.ts';

/** How a run ended: summary.json, which a finished run alone has. Accuracies are from 0 to 1. */
export interface Summary {
  /** The evaluation before the first grpo step; null where there was none. */
  readonly baseline: Readonly<Record<string, number>> | null;
  /** The evaluation after the last step. */
  readonly final: Readonly<Record<string, number>> | null;
  /** The best evaluation by metric_for_best_model; null where there was none. */
  readonly best: BestSummary | null;
  /**
   * Whether the model solves more than the baseline, or solves the same more reliably; null if one was not evaluated.
   */
  readonly rise: Rise | null;
  /** Which weights `model/` and `weightsSha256` have. */
  readonly model: 'best' | 'last';
  /** Optimizer steps of each stage, and why one has fewer than its config. */
  readonly steps: readonly { readonly stage: string; readonly steps: number; readonly ended?: string }[];
  readonly wallSeconds: number;
  /** Seconds by activity. */
  readonly split: Seconds;
  /** Completion tokens, sampled or demonstrated, over all seconds of the split except eval. */
  readonly tokensPerSecond: number;
  readonly weightsSha256: string;
  readonly backend: string;
  readonly threads: number;
  readonly seed: number;
  readonly parameters: number;
  /** Diagnoses of the run, each once, in order of first mention; `withdrawn` if it no longer holds. */
  readonly diagnoses: readonly Said[];
}

export interface BestSummary {
  readonly stage: string;
  readonly step: number;
  /** The metric by which it is the best, as `metrics` names it. */
  readonly metric: string;
  readonly metrics: Readonly<Record<string, number>>;
}

export function summarize(
  run: ConfiguredModel & Progress,
  fingerprint: Fingerprint,
  { wallSeconds, weightsSha256, model }: Pick<Summary, 'wallSeconds' | 'weightsSha256' | 'model'>,
): Summary {
  const { config } = run;
  const { state } = run.journal;
  const { policy } = run.engine;
  const { seconds } = state;
  const working = seconds.sft + seconds.rollout + seconds.verify + seconds.update;
  return {
    baseline: state.baseline ? evaluationMetrics(state.baseline) : null,
    final: state.final ? evaluationMetrics(state.final) : null,
    best: state.best ? summaryOfBest(state.best) : null,
    rise: riseBetween(state.baseline, model === 'best' ? state.best?.evaluation : state.final),
    model,
    steps: config.stages.map(({ stage }, i) => {
      const ending = state.steering.endings.find(({ stageIndex }) => stageIndex === i);
      return { stage, steps: stepsOf(run, i), ...(ending && { ended: ending.reason }) };
    }),
    wallSeconds,
    split: { ...seconds },
    tokensPerSecond: state.tokens / Math.max(1e-9, working),
    weightsSha256,
    backend: policy.engine.backend,
    threads: fingerprint.threads,
    seed: config.seed,
    parameters: countParameters(policy.parameters),
    diagnoses: state.watch.said,
  };
}

function riseBetween(before: Evaluation | undefined, after: Evaluation | undefined): Rise | null {
  return before && after ? riseOf(reachedBy(before), reachedBy(after)) : null;
}

function reachedBy({ accuracy: greedy, meanAtK: sampled, passAtK, samples }: Evaluation): Reached {
  return { greedy, sampled, pass: samples > 1 ? passAtK[samples] : undefined };
}

function summaryOfBest({ stage, step, metric, evaluation }: BestEvaluation): BestSummary {
  return { stage, step, metric, metrics: evaluationMetrics(evaluation) };
}
