/** `RolloutGroup.greedyReward`: a greedy completion of each problem, beside those of its group. */
import type { Use } from './use.ts';

export const greedyRewards: Use = { id: 'greedy-rewards', says: 'a greedy completion of each problem' };
