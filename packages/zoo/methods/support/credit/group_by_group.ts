/** What estimators of one group at a time share besides the core's baselines. */

import type { AdvantageEstimator } from '../../../../../src/methods/points.ts';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { deviationOf, meanOf } from '../../../../../src/methods/statistics.ts';
import {
  areEqual,
  type CountedRollout,
  counts,
  EPSILON,
  rewardsOf,
  spreadOut,
} from '../../../../../src/methods/support/credit/baseline.ts';

/** (x − mean) / (deviation + 1e-4), with n − 1; exactly 0 where all are equal. */
export function standardScores(values: readonly number[]): number[] {
  if (areEqual(values)) return values.map(() => 0);
  const [center, divisor] = [meanOf(values), deviationOf(values) + EPSILON];
  return values.map((value) => (value - center) / divisor);
}

/** Whether no rollout of a group has a reward that counts. */
export function hasNoReward({ rollouts }: Pick<RolloutGroup, 'rollouts'>): boolean {
  return !rollouts.some(counts);
}

/**
 * An estimator that sees one group at a time. A group is dead if none of its completions gets an advantage.
 *
 * @param advantagesOf  from the rewards of a group that count, and their rollouts, to advantages in the same order
 */
export function groupByGroup(
  advantagesOf: (rewards: readonly number[], rollouts: readonly CountedRollout[]) => readonly number[],
): Required<Pick<AdvantageEstimator, 'estimate' | 'isDead'>> {
  const of = (group: RolloutGroup): Float32Array =>
    spreadOut(group.rollouts, advantagesOf(rewardsOf(group), group.rollouts.filter(counts)));
  return {
    estimate: (groups) => groups.map((group) => ({ advantages: of(group) })),
    isDead: (group) => of(group).every((advantage) => advantage === 0),
  };
}
