/** The library's function that looks a reward up among all that the package has. */
import type { RewardDefinition, RewardOptions } from '../../../src/rewards/definition.ts';
import type { RewardFunction } from '../../../src/rewards/reward_function.ts';
import { getReward as getRewardOf, type OwnRewards } from '../../../src/rewards/reward_list.ts';
import { ALL_REWARDS } from '../lists/all_rewards.ts';

/**
 * A reward function by its name in `reward_funcs`.
 *
 * @param options  what the YAML gives besides name and weight
 * @param own      looked up before those of the package; a reward function takes no options, a factory reads them
 * @throws ConfigError for an unknown name or option, naming the nearest one
 */
export function getReward(name: string, options: RewardOptions = {}, own: OwnRewards = {}): RewardFunction {
  return getRewardOf(ALL_REWARDS, name, options, own);
}

/** Every reward function of the package, by name. */
export const builtInRewards: Readonly<Record<string, RewardDefinition>> = ALL_REWARDS.loaded;
