/** The rewards of the core, with those of the zoo if they are loaded, and the names of all of them. */
import type { RewardDefinition } from '../../../src/rewards/definition.ts';
import type { RewardList } from '../../../src/rewards/reward_list.ts';
import { CORE_REWARDS } from '../../../src/rewards/usual_rewards.ts';
import { REWARD_NAMES } from '../elsewhere/rewards.ts';
import { REWARDS } from '../made/names.ts';

const names = [...CORE_REWARDS.names, ...REWARDS.names];

export function rewardsWith(loaded: Readonly<Record<string, RewardDefinition>>): RewardList {
  return { loaded: { ...CORE_REWARDS.loaded, ...loaded }, names, elsewhere: REWARD_NAMES };
}
