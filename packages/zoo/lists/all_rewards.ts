/** Every reward, loaded. */
import { REWARDS } from '../made/rewards.ts';
import { rewardsWith } from './rewards_with.ts';

export const ALL_REWARDS = rewardsWith(REWARDS);
