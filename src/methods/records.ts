/** What sampling and scoring produce: rollouts, and the groups that share a prompt. */

import type { TaskItem } from '../data/task.ts';
import type { FinishReason, Verdict } from '../rewards/verdict.ts';
import type { Estimate } from './statistics.ts';

/** One sampled completion, decoded, with its verdict. */
export interface VerifiedCompletion {
  /** As sampled; trained on as they are, never re-tokenised. */
  readonly tokens: Int32Array;
  /** [tokens] tempered, full vocabulary, under the policy that sampled them. */
  readonly logprobs: Float32Array;
  /** [tokens] nats. */
  readonly entropies: Float32Array;
  /** [tokens] log of the probability mass that top-k, top-p and min-p kept; 0 where they are off. */
  readonly keptLogMass: Float32Array;
  readonly finishReason: FinishReason;
  /** Decoded, final EOS stripped: what the verifier read. */
  readonly text: string;
  readonly verdict: Verdict;
}

/** One sampled completion with everything that is known about it. */
export interface Rollout extends VerifiedCompletion {
  /** One per reward function; null where it does not apply. */
  readonly rewardParts: readonly (number | null)[];
  /** Weighted sum; null where no reward function applies. */
  readonly reward: number | null;
}

/** All rollouts of one prompt. */
export interface RolloutGroup {
  readonly item: TaskItem;
  readonly prompt: Int32Array;
  readonly rollouts: readonly Rollout[];
  /** Every reward is the same: max === min, exactly. Such a group has no gradient. */
  readonly dead: boolean;
}

/** Groups with their advantages, ready for an update. */
export interface CreditedGroup extends RolloutGroup {
  /** [rollouts]; 0 for a rollout without a reward. */
  readonly advantages: Float32Array;
}

/** Whether the rewards of a group are all equal. Rollouts without a reward do not count. */
export function isDead(rewards: readonly (number | null)[]): boolean {
  const known = rewards.filter((reward) => reward !== null);
  return known.every((reward) => reward === known[0]);
}

export interface Collected {
  /** Every group that was drawn, in order. */
  readonly groups: readonly RolloutGroup[];
  /** Rounds of sampling, the first included. */
  readonly rounds: number;
}

/** Wall-clock by activity. */
export interface Seconds {
  sft: number;
  rollout: number;
  verify: number;
  update: number;
  eval: number;
}

export interface Evaluation {
  /** Share of problems whose greedy completion is correct. */
  readonly accuracy: Estimate;
  /** Samples a problem. */
  readonly samples: number;
  /** Share of sampled completions that are correct: sampled accuracy. */
  readonly meanAtK: Estimate;
  /** k → share of problems that k samples solve, for k = 1, 2, 4, … and K. */
  readonly passAtK: Readonly<Record<number, Estimate>>;
  /** Mean tokens of the sampled completions. */
  readonly meanLength: number;
  /** Greedy completions of the first problems. */
  readonly examples: readonly Example[];
}

/** One completion with its verdict, for people. */
export interface Example {
  readonly prompt: string;
  readonly completion: string;
  readonly verdict: Verdict;
}

/** One line of metrics.jsonl: TRL's names where TRL has one. */
export type StepMetrics = Readonly<Record<string, number | string>>;

/** A supervised step. */
export interface SupervisedResult {
  /** Nats a completion token. */
  readonly loss: number;
  readonly entropy: number;
  readonly gradNorm: number;
  readonly learningRate: number;
  readonly completionTokens: number;
}

/** An optimizer step of the policy objective. */
export interface UpdateResult {
  readonly learningRate: number;
  /** Before clipping. */
  readonly gradNorm: number;
  readonly totals: UpdateTotals;
}

export interface UpdateTotals {
  /** Sum of the rows' losses: the step's loss, entropy bonus included. */
  loss: number;
  /** Loss rows that are not masked. */
  rows: number;
  kl: number;
  clippedLow: number;
  clippedHigh: number;
  /** |log-prob of the scorer − log-prob of the sampler|: its largest value and its sum. */
  logprobDifferenceMax: number;
  logprobDifferenceSum: number;
}
