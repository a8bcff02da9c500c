/** The trainer's advantages and clipped objective as differentiable tfjs ops. */
import * as tf from '@tensorflow/tfjs';
import type { ScaleRewards } from '../../src/kernels/kernels.ts';
import { advantagesOf } from './kernels/group_advantages.ts';
import { clippedSurrogate, klToReference } from './kernels/policy_objective.ts';

/**
 * (reward − group mean) / (std of the group + 1e-4), std with n − 1; exactly 0 in a group whose rewards are all equal.
 * arXiv:2402.03300 §4.1
 * @param rewards [C] finite, group by group
 * @param groups  members of each group; one number where all have the same
 * @param options scale: std of the 'group' (default), of the 'batch', or 'none'
 * @returns [C]
 * @throws Error where the groups do not add up to C
 */
export function groupAdvantages(
  rewards: tf.Tensor1D,
  groups: number | readonly number[],
  { scale = 'group' }: { readonly scale?: ScaleRewards } = {},
): tf.Tensor1D {
  const count = rewards.size;
  const sizes = typeof groups === 'number' ? new Array<number>(Math.floor(count / groups)).fill(groups) : groups;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total !== count || sizes.length === 0) {
    throw new Error(`groupAdvantages: groups of ${groups} do not add up to ${count} rewards.`);
  }
  return tf.tidy(() => advantagesOf(rewards, sizes, scale).advantages as tf.Tensor1D);
}

/** The clipped surrogate and its KL term, as the keys of a config have them. */
export interface ObjectiveOptions {
  /** Ratios are clipped to 1 − epsilonLow … 1 + epsilonHigh. Default 0.2 each. */
  readonly epsilonLow?: number;
  readonly epsilonHigh?: number;
  /** Most that a ratio counts where the advantage is negative (arXiv:2505.07291). Default: no bound. */
  readonly delta?: number;
  /** Weight of the KL term, k3 to `refLogprobs`. Default 0. */
  readonly beta?: number;
  readonly refLogprobs?: tf.Tensor;
}

/**
 * Loss of each token: −min(min(ratio, delta)·A, clip(ratio)·A) + beta·k3, ratio = e^(logprobs − oldLogprobs). How
 * tokens are averaged is the caller's: a mean, or a sum of masked tokens over their number.
 * @param logprobs    under the policy that learns
 * @param oldLogprobs under the policy that sampled; `logprobs` itself, kept apart, where that is the same
 * @param advantages  of each token's completion
 * @returns the shape of `logprobs`, differentiable in it
 * @throws Error where beta has no reference
 */
export function clippedObjective(
  logprobs: tf.Tensor,
  oldLogprobs: tf.Tensor,
  advantages: tf.Tensor,
  { epsilonLow = 0.2, epsilonHigh = 0.2, delta = 0, beta = 0, refLogprobs }: ObjectiveOptions = {},
): tf.Tensor {
  const clipping = { low: epsilonLow, high: epsilonHigh, delta };
  return tf.tidy(() => {
    const policy = clippedSurrogate(tf.sub(logprobs, oldLogprobs), advantages, clipping);
    if (beta === 0) return policy;
    if (refLogprobs === undefined) throw new Error(`clippedObjective: beta ${beta} needs refLogprobs.`);
    return tf.add(policy, tf.mul(klToReference(logprobs, refLogprobs), beta));
  });
}
