/** The metrics of a step, under TRL's names; our own names only where TRL has none. */

import { isQuantised } from '../methods/chosen.ts';
import type {
  Collected,
  Evaluation,
  Rollout,
  RolloutGroup,
  StepMetrics,
  SupervisedResult,
  UpdateResult,
} from '../methods/records.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import { deviationOf, meanOf } from '../methods/statistics.ts';
import { givenRewards } from '../methods/support/rewards/given_rewards.ts';
import { shareRight } from '../methods/support/rollouts/right.ts';
import { ownLength } from '../methods/support/rollouts/turns.ts';
import { sampledEntropies } from '../methods/tokens.ts';
import { rewardLabel } from '../rewards/module_file.ts';
import { solving } from './rollout/kinds.ts';

interface Common {
  readonly step: number;
  readonly stepSeconds: number;
  /** Completion tokens seen so far. */
  readonly tokens: number;
  /** Tokens that were sampled for each one that is trained on, batches without a signal included; of a new batch. */
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

/**
 * @param collected  undefined where the step worked on rollouts of an earlier step
 * @param logged     what the methods of the stage have logged, by name
 */
export function updateMetrics(
  stage: GrpoStageConfig,
  collected: Collected | undefined,
  update: UpdateResult,
  logged: Readonly<Record<string, number>>,
  common: Common,
): StepMetrics {
  const { totals } = update;
  const isCopys = isQuantised(stage);
  const share = (count: number): number => count / Math.max(1, totals.rows);
  return {
    step: common.step,
    stage: 'grpo',
    ...(collected && rolloutMetrics(stage, collected)),
    loss: totals.loss,
    ...(totals.entropyBonus !== undefined && { policy_loss: totals.loss - totals.entropyBonus }),
    grad_norm: update.gradNorm,
    learning_rate: update.learningRate,
    ...totals.measured,
    ...logged,
    'sampling/sampling_logp_difference/mean': share(isCopys ? totals.movedSum : totals.logprobDifferenceSum),
    'sampling/sampling_logp_difference/max': isCopys ? totals.movedMax : totals.logprobDifferenceMax,
    ...(common.staleness !== undefined && { staleness: common.staleness }),
    ...((isCopys || common.staleness !== undefined) && { 'importance_ratio/mean': share(totals.ratioSum) }),
    ...(common.sampledPerTrained !== undefined && { sampled_per_trained_token: common.sampledPerTrained }),
    num_tokens: common.tokens,
    step_time: common.stepSeconds,
  };
}

/**
 * Over every group drawn for the step that solves, dead ones included. Rewards are those that the reward functions gave; what group
 * steps make of them are metrics of their own, while groups are dead by what is trained on.
 */
function rolloutMetrics(stage: GrpoStageConfig, collected: Collected): StepMetrics {
  const { groups: drawn, rounds, excluded, dropped, logged } = collected;
  const groups = solving(drawn);
  const rollouts = groups.flatMap((group) => group.rollouts);
  const rewards = rollouts.flatMap(rewardGiven);
  const lengths = rollouts.map(ownLength);
  const ended = rollouts.filter(({ finishReason }) => finishReason !== 'length').map(ownLength);
  const dead = groups.filter((group) => group.dead).length;
  return {
    reward: meanOf(rewards),
    reward_std: meanOf(groups.map(groupDeviation)),
    frac_reward_zero_std: dead / groups.length,
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
    'groups/live': groups.length - dead,
    'groups/rounds': rounds,
    ...logged,
    ...(dropped !== undefined && { 'prompts/dropped': dropped }),
  };
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

/** Shares of the rollouts that were not sampled plainly. */
function originShares(rollouts: readonly Rollout[]): Record<string, number> {
  const origins = new Set(rollouts.flatMap(({ origin }) => origin ?? []));
  return Object.fromEntries(
    [...origins].map((name) => [
      `completions/${name}`,
      rollouts.filter(({ origin }) => origin === name).length / rollouts.length,
    ]),
  );
}

/** Shares that the strict verifier calls right, over all and by task where there are several; and the mean level of the problems. */
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

function groupDeviation({ rollouts }: RolloutGroup): number {
  const rewards = rollouts.flatMap(rewardGiven);
  return rewards.every((reward) => reward === rewards[0]) ? 0 : deviationOf(rewards); // a mean would add rounding noise
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
