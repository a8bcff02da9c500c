/** What the reward functions gave, whatever a group step has made of it: what the metrics `reward` and `rewards/…` are of. */
import type { GivenRewards, Rollout } from '../../records.ts';

export function givenRewards(rollout: Rollout): GivenRewards {
  return rollout.given ?? rollout;
}
