/** What sampling and scoring produce: rollouts, and the groups that share a prompt. */
import type { TaskItem } from '../data/task.ts';
import type { FinishReason, Verdict } from '../rewards/verdict.ts';

/** One sampled completion with everything that is known about it. */
export interface Rollout {
  /** As sampled; trained on as they are, never re-tokenised. */
  readonly tokens: Int32Array;
  /** [tokens] tempered, full vocabulary, under the policy that sampled them. */
  readonly logprobs: Float32Array;
  /** [tokens] nats. */
  readonly entropies: Float32Array;
  readonly finishReason: FinishReason;
  /** Decoded, final EOS stripped: what the verifier read. */
  readonly text: string;
  readonly verdict: Verdict;
  /** One a reward function; null where it does not apply. */
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
