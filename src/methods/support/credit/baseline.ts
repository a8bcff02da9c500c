/** Shared by estimators with a baseline per group: which rewards count, and exact zeros for dead groups. */
import type { AdvantageEstimator } from '../../points.ts';
import type { CreditedGroup, Rollout, RolloutGroup } from '../../records.ts';
import { deviationOf, meanOf } from '../../statistics.ts';

/** Keeps a deviation near 0 from blowing up rounding noise; TRL's. */
export const EPSILON = 1e-4;

/** A rollout whose reward counts in the baseline of its group. */
export type CountedRollout = Rollout & { readonly reward: number };

/** Whether all rewards of a group that count are equal, exactly: decided before any mean, which rounding would spoil. */
export function hasEqualRewards({ rollouts }: Pick<RolloutGroup, 'rollouts'>): boolean {
  const rewards = rollouts.filter(counts).map(({ reward }) => reward);
  return rewards.every((reward) => reward === rewards[0]);
}

/** Rewards that count in the baseline, as float32: those that the engine's kernel reads. */
export function rewardsOf({ rollouts }: Pick<RolloutGroup, 'rollouts'>): number[] {
  return rollouts.flatMap((rollout) => (counts(rollout) ? [Math.fround(rollout.reward)] : []));
}

/** Whether a rollout's reward counts in the baseline of its group. */
export function counts(rollout: Rollout): rollout is CountedRollout {
  return rollout.reward !== null && rollout.inBaseline !== false;
}

/**
 * Advantages group by group, of the completions whose reward counts.
 *
 * @param advantagesOf  maps a group's counted rewards to their advantages, in order
 * @param deadAreZero  groups of equal rewards get 0, exactly; default true
 * @returns one entry per group; rollouts whose reward does not count get 0
 */
export function estimateByGroup(
  groups: readonly RolloutGroup[],
  advantagesOf: (rewards: readonly number[]) => readonly number[],
  { deadAreZero = true }: { readonly deadAreZero?: boolean } = {},
): Pick<CreditedGroup, 'advantages'>[] {
  return groups.map((group) => {
    const advantages = new Float32Array(group.rollouts.length);
    const rewards = rewardsOf(group);
    if (deadAreZero && rewards.every((reward) => reward === rewards[0])) return { advantages }; // as float32, too
    const credited = advantagesOf(rewards);
    let next = 0;
    group.rollouts.forEach((rollout, i) => {
      if (counts(rollout)) advantages[i] = credited[next++];
    });
    return { advantages };
  });
}

/** Whether all of these numbers are equal, exactly. */
export function areEqual(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}

/** One number per rollout: those of the rollouts that count, in their order, and 0 for the others. */
export function spreadOut(rollouts: readonly Rollout[], ofCounted: readonly number[]): Float32Array {
  let next = 0;
  return Float32Array.from(rollouts, (rollout) => (counts(rollout) ? ofCounted[next++] : 0));
}

/** How the rewards of a group are compared. */
export interface GroupComparison {
  /** The baseline of a reward: the mean of its group, of the group's other rewards, of the batch, or 0. */
  readonly baseline: 'group' | 'loo' | 'batch' | 'none';
  /** What divides the difference: the deviation of the group or of the batch, the mean of the group, or 1. */
  readonly divisor: 'group' | 'batch' | 'mean' | 'none';
}

/** A = (R − baseline) / divideBy; exactly 0 in a dead group whose baseline is its own. */
export function groupAdvantages({ baseline, divisor }: GroupComparison): AdvantageEstimator {
  const isOwn = baseline === 'group' || baseline === 'loo';
  return {
    ...(baseline === 'group' && divisor !== 'mean' && { device: divisor }),
    isDead: (each) => {
      const rewards = rewardsOf(each);
      if (divisor === 'mean') return meanOf(rewards) <= 0 || (isOwn && areEqual(rewards));
      return isOwn ? hasEqualRewards(each) : rewards.every((reward) => reward === 0);
    },
    estimate(groups) {
      const all = groups.flatMap((each) => rewardsOf(each));
      const [ofBatch, meanOfBatch] = [deviationOf(all), meanOf(all)];
      const advantagesOf = (rewards: readonly number[]): number[] => {
        const center = meanOf(rewards);
        if (divisor === 'mean' && center <= 0) return rewards.map(() => 0);
        const deviation = divisor === 'batch' ? ofBatch : deviationOf(rewards);
        const divideBy = { group: deviation + EPSILON, batch: deviation + EPSILON, none: 1, mean: center }[divisor];
        const centers = { group: center, loo: 0, batch: meanOfBatch, none: 0 };
        const sum = rewards.reduce((total, reward) => total + reward, 0);
        return rewards.map((reward) => {
          const meanOfOthers = rewards.length < 2 ? reward : (sum - reward) / (rewards.length - 1);
          return (reward - (baseline === 'loo' ? meanOfOthers : centers[baseline])) / divideBy;
        });
      };
      return estimateByGroup(groups, advantagesOf, { deadAreZero: isOwn });
    },
  };
}
