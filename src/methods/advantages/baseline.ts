/** What every estimator with a baseline per group shares: which rewards count, and that dead groups get exactly 0. */
import type { CreditedGroup, Rollout, RolloutGroup } from '../records.ts';

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
export function counts(rollout: Rollout): rollout is Rollout & { readonly reward: number } {
  return rollout.reward !== null && rollout.inBaseline !== false;
}

/**
 * @param advantagesOf  from the rewards of a group that count to their advantages, in the same order
 * @param deadAreZero   groups of equal rewards get 0, exactly; default true
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
