/** `RolloutGroup.greedyReward`: a greedy completion of each problem, in addition to its group's. */
import type { Use } from './use.ts';

/** The reward of a greedy completion of each problem. */
export const greedyRewards: Use = { id: 'greedy-rewards', says: 'a greedy completion of each problem' };
