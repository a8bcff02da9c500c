/**
 * The reward functions' rewards, before group steps changed them: the source of the metrics `reward` and `rewards/…`.
 */
import type { GivenRewards, Rollout } from '../../records.ts';

export function givenRewards(rollout: Rollout): GivenRewards {
  return rollout.given ?? rollout;
}
