/** The metrics of a step, under TRL's names; our own names only where TRL has none. */

import type {
  Collected,
  Evaluation,
  Rollout,
  RolloutGroup,
  StepMetrics,
  SupervisedResult,
  UpdateResult,
} from '../methods/records.ts';
import { samplesElsewhere } from '../methods/sampling_modes/modes.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import { deviationOf, meanOf } from '../methods/statistics.ts';
import { givenRewards } from '../methods/support/rewards/given_rewards.ts';
import { shareRight } from '../methods/support/rollouts/right.ts';
import { ownLength } from '../methods/support/rollouts/turns.ts';
import { sampledEntropies } from '../methods/tokens.ts';
import { rewardLabel } from '../rewards/module_file.ts';
import type { Learned } from './learn.ts';
import { solving } from './rollout/kinds.ts';

interface Common {
  readonly step: number;
  readonly stepSeconds: number;
  /** Completion tokens seen so far. */
  readonly tokens: number;
  /** Tokens sampled per trained token of a new batch, dead batches included. */
  readonly sampledPerTrained?: number | undefined;
  /** Optimizer steps since the batch was sampled, in a stage whose batches wait. */
  readonly staleness?: number;
}

export function supervisedMetrics(result: SupervisedResult, common: Common): StepMetrics {
  return {
    step: common.step,
    stage: 'sft',
    loss: result.loss,
    entropy: result.entropy,
    grad_norm: result.gradNorm,
    learning_rate: result.learningRate,
    ...(result.dropped !== undefined && { 'prompts/dropped': result.dropped }),
    num_tokens: common.tokens,
    step_time: common.stepSeconds,
  };
}

/** A generation batch before and after selection. */
export interface SampledBatch {
  readonly collected: Collected;
  /** What is left to train on. */
  readonly groups: readonly RolloutGroup[];
}

/** Why a batch has a line of its own: it has no live group, or waits for its step. */
export type BatchFate = 'dead' | 'ahead';

/**
 * Metrics of a batch that no step follows at once: its sampling counts even if nothing is learned from it.
 * @param logged  what the methods of the stage have logged of it, by name
 */
export function batchMetrics(
  stage: GrpoStageConfig,
  sampled: SampledBatch,
  logged: Readonly<Record<string, number>>,
  { step, tokens, fate }: Pick<Common, 'step' | 'tokens'> & { readonly fate: BatchFate },
): StepMetrics {
  return { step, stage: 'grpo', batch: fate, ...rolloutMetrics(stage, sampled), ...logged, num_tokens: tokens };
}

/**
 * The newest of several lines, with numbers that earlier lines share replaced by their means. The mean covers every
 * batch drawn for a step, dead ones included: a curve of live batches alone would be biased upwards.
 */
export function meanOverBatches(lines: readonly StepMetrics[]): StepMetrics {
  const newest = lines[lines.length - 1];
  const meaned = Object.entries(newest).map(([name, value]) => {
    const values = lines.flatMap(({ [name]: own }) => (typeof own === 'number' ? own : []));
    return [name, typeof value === 'string' || COUNTERS.has(name) ? value : meanOf(values)];
  });
  return Object.fromEntries(meaned);
}

/** Where the run is. */
const COUNTERS: ReadonlySet<string> = new Set(['step', 'num_tokens']);

/**
 * Metrics of a step.
 * @param tokensBefore  completion tokens seen before anything was sampled for it
 */
export function stepMetrics(
  stage: GrpoStageConfig,
  {
    step,
    update,
    staleness,
    drawn: { newest, trainedTokens },
  }: Pick<Learned, 'step' | 'update' | 'staleness' | 'drawn'>,
  { tokensBefore, ...common }: Pick<Common, 'step' | 'stepSeconds' | 'tokens'> & { readonly tokensBefore: number },
): StepMetrics {
  const sampledPerTrained = newest && (common.tokens - tokensBefore) / Math.max(1, trainedTokens);
  return updateMetrics(
    stage,
    newest,
    update,
    { ...newest?.logged, ...step.logged },
    { ...common, sampledPerTrained, ...(stage.staleness !== undefined && { staleness }) },
  );
}

/**
 * @param sampled  undefined where the step worked on rollouts of an earlier step
 * @param logged   what the methods of the stage have logged, by name
 */
export function updateMetrics(
  stage: GrpoStageConfig,
  sampled: SampledBatch | undefined,
  update: UpdateResult,
  logged: Readonly<Record<string, number>>,
  common: Common,
): StepMetrics {
  const { totals } = update;
  const isOthers = samplesElsewhere(stage);
  const share = (count: number): number => count / Math.max(1, totals.rows);
  return {
    step: common.step,
    stage: 'grpo',
    ...(sampled && rolloutMetrics(stage, sampled)),
    loss: totals.loss,
    ...(totals.entropyBonus !== undefined && { policy_loss: totals.loss - totals.entropyBonus }),
    grad_norm: update.gradNorm,
    learning_rate: update.learningRate,
    ...totals.measured,
    ...logged,
    'sampling/sampling_logp_difference/mean': share(isOthers ? totals.movedSum : totals.logprobDifferenceSum),
    'sampling/sampling_logp_difference/max': isOthers ? totals.movedMax : totals.logprobDifferenceMax,
    ...(common.staleness !== undefined && { staleness: common.staleness }),
    ...((isOthers || common.staleness !== undefined) && { 'importance_ratio/mean': share(totals.ratioSum) }),
    ...(common.sampledPerTrained !== undefined && { sampled_per_trained_token: common.sampledPerTrained }),
    num_tokens: common.tokens,
    step_time: common.stepSeconds,
  };
}

/**
 * Metrics over everything that the policy sampled unaided (or aided, if it sampled nothing else), dead and discarded
 * groups included, with TRL's formulas. Rewards are the reward functions'; group steps log theirs separately. Whether a
 * group is dead follows from the rewards that are trained on.
 */
function rolloutMetrics(stage: GrpoStageConfig, { collected, groups: left }: SampledBatch): StepMetrics {
  const { groups: drawn, unaided = [], rounds, excluded, dropped, logged } = collected;
  const groups = solving(unaided.length > 0 ? unaided : drawn);
  const rollouts = groups.flatMap((group) => group.rollouts);
  const lengths = rollouts.map(ownLength);
  const ended = rollouts.filter(({ finishReason }) => finishReason !== 'length').map(ownLength);
  return {
    ...rewardMetrics(groups),
    ...Object.fromEntries(stage.rewards.flatMap((reward, i) => partMetrics(rewardLabel(reward), rollouts, i))),
    entropy: meanEntropy(rollouts),
    'completions/mean_length': meanOf(lengths),
    'completions/min_length': Math.min(...lengths),
    'completions/max_length': Math.max(...lengths),
    ...(ended.length > 0 && {
      'completions/mean_terminated_length': meanOf(ended),
      'completions/min_terminated_length': Math.min(...ended),
      'completions/max_terminated_length': Math.max(...ended),
    }),
    'completions/clipped_ratio': 1 - ended.length / rollouts.length,
    ...(excluded && { 'completions/excluded': excluded.count }),
    ...originShares(drawn.flatMap((group) => group.rollouts)),
    ...solveRates(collected.unaided ?? groups),
    'groups/drawn': groups.length,
    'groups/live': groups.filter(({ dead }) => !dead).length,
    'groups/rounds': rounds,
    ...trainedMetrics(groups, solving(left)),
    ...logged,
    ...(dropped !== undefined && { 'prompts/dropped': dropped }),
  };
}

function rewardMetrics(groups: readonly RolloutGroup[]): StepMetrics {
  const rewards = groups.flatMap(({ rollouts }) => rollouts.flatMap(rewardGiven));
  return {
    reward: meanOf(rewards),
    reward_std: rewards.every((reward) => reward === rewards[0]) ? 0 : deviationOf(rewards), // a mean would add rounding noise
    frac_reward_zero_std: groups.filter(({ dead }) => dead).length / groups.length,
  };
}

/** The same for the groups of the update, if a strategy removed or added some. */
function trainedMetrics(sampled: readonly RolloutGroup[], trained: readonly RolloutGroup[]): StepMetrics {
  const tokensOf = (groups: readonly RolloutGroup[]): Int32Array[] =>
    groups.flatMap(({ rollouts }) => rollouts.map(({ tokens }) => tokens));
  const [drawn, taken] = [new Set(tokensOf(sampled)), tokensOf(trained)];
  const isSame = taken.length === drawn.size && taken.every((tokens) => drawn.has(tokens));
  if (isSame || taken.length === 0) return {};
  const rollouts = trained.flatMap((group) => group.rollouts);
  const figures = {
    ...rewardMetrics(trained),
    'completions/mean_length': meanOf(rollouts.map(ownLength)),
    'completions/clipped_ratio': meanOf(rollouts.map(({ finishReason }) => Number(finishReason === 'length'))),
    groups: trained.length,
  };
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`trained/${name}`, value]));
}

/** Nats, over the tokens that were sampled; 0 where there are none. */
function meanEntropy(rollouts: readonly Rollout[]): number {
  let [sum, count] = [0, 0];
  for (const rollout of rollouts) {
    const entropies = sampledEntropies(rollout);
    for (const entropy of entropies) sum += entropy;
    count += entropies.length;
  }
  return count === 0 ? 0 : sum / count;
}

/** Share of each origin among rollouts that were not sampled plainly. */
function originShares(rollouts: readonly Rollout[]): Record<string, number> {
  const origins = new Set(rollouts.flatMap(({ origin }) => origin ?? []));
  return Object.fromEntries(
    [...origins].map((name) => [
      `completions/${name}`,
      rollouts.filter(({ origin }) => origin === name).length / rollouts.length,
    ]),
  );
}

/**
 * Share of right answers by the strict verifier, overall and by task if there are several, and the mean level of the
 * problems.
 */
function solveRates(groups: readonly RolloutGroup[]): Record<string, number> {
  const byTask = new Map<string, RolloutGroup[]>();
  for (const group of groups) {
    const { task } = group.item;
    if (task !== undefined) byTask.set(task, [...(byTask.get(task) ?? []), group]);
  }
  const levels = groups.flatMap(({ item: { level } }) => level ?? []);
  return {
    ...(groups.length > 0 && { solve_rate: shareRight(groups) }),
    ...Object.fromEntries([...byTask].map(([task, own]) => [`solve_rate/${task}`, shareRight(own)])),
    ...(levels.length > 0 && { level: meanOf(levels) }),
  };
}

function partMetrics(name: string, rollouts: readonly Rollout[], index: number): [string, number][] {
  const values = rollouts.flatMap((rollout) => {
    const value = givenRewards(rollout).rewardParts[index];
    return value === null || value === undefined ? [] : [value];
  });
  return [
    [`rewards/${name}/mean`, meanOf(values)],
    [`rewards/${name}/std`, deviationOf(values)],
  ];
}

function rewardGiven(rollout: Rollout): readonly number[] {
  const { reward } = givenRewards(rollout);
  return reward === null ? [] : [reward];
}

/** An evaluation as a line of metrics.jsonl. */
export function evaluationMetrics(evaluation: Evaluation): Record<string, number> {
  const { accuracy, byTask = {}, samples, meanAtK, passAtK } = evaluation;
  const metrics: Record<string, number> = {
    eval_accuracy: accuracy.mean,
    eval_accuracy_low: accuracy.low,
    eval_accuracy_high: accuracy.high,
    [`eval_mean@${samples}`]: meanAtK.mean,
    [`eval_mean@${samples}_low`]: meanAtK.low,
    [`eval_mean@${samples}_high`]: meanAtK.high,
  };
  for (const [task, own] of Object.entries(byTask)) {
    for (const [name, estimate] of [
      [`eval_accuracy/${task}`, own.accuracy],
      [`eval_mean@${samples}/${task}`, own.meanAtK],
    ] as const) {
      metrics[name] = estimate.mean;
      metrics[`${name}_low`] = estimate.low;
      metrics[`${name}_high`] = estimate.high;
    }
  }
  for (const [k, estimate] of Object.entries(passAtK)) {
    metrics[`eval_pass@${k}`] = estimate.mean;
    metrics[`eval_pass@${k}_low`] = estimate.low;
    metrics[`eval_pass@${k}_high`] = estimate.high;
  }
  for (const [name, estimate] of Object.entries(evaluation.figures ?? {})) {
    metrics[`eval_${name}`] = estimate.mean;
    metrics[`eval_${name}_low`] = estimate.low;
    metrics[`eval_${name}_high`] = estimate.high;
  }
  metrics['eval_completions/mean_length'] = evaluation.meanLength;
  metrics.eval_problems = accuracy.count;
  return metrics;
}
