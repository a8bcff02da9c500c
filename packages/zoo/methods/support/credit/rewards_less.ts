/** Rewards against a constant: `constant` and `psr`. */
import { type AdvantageEstimator, estimateByGroup, rewardsOf } from '../../kit.ts';

/** A = R − c. No group is compared with itself, so one of equal rewards is dead only where all of them are c. */
export function rewardsLess(c: number): Required<Pick<AdvantageEstimator, 'estimate' | 'isDead'>> {
  return {
    isDead: (group) => rewardsOf(group).every((reward) => reward === c),
    estimate: (groups) =>
      estimateByGroup(groups, (rewards) => rewards.map((reward) => reward - c), { deadAreZero: false }),
  };
}
