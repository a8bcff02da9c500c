/** ReMax. The greedy completion is one more of each problem, and is not trained on. */

import { greedyRewards } from '../../../../src/methods/uses/greedy_rewards.ts';
import { type AdvantageEstimator, method, type RolloutGroup, rewardsOf, spreadOut } from '../kit.ts';

export const greedy = method({
  id: 'greedy',
  about: {
    does: 'Compares each completion with the greedy one of its problem; undivided.',
    names: ['ReMax'],
    formula: 'A_i = R_i − R(greedy completion)',
    source: '2310.10505',
    certainty: 'paper',
  },
  uses: () => [greedyRewards],
  warn: (_, { groupSteps }) =>
    groupSteps.length > 0
      ? 'the greedy completion is rewarded as reward_funcs say, and group_steps change the others alone; leave them out'
      : undefined,
  create: (): AdvantageEstimator => {
    const advantagesOf = (group: RolloutGroup): Float32Array => {
      const { greedyReward } = group;
      const rewards = rewardsOf(group);
      // A group that the greedy completion of gave no reward has no baseline.
      const baseline = greedyReward === undefined || greedyReward === null ? undefined : Math.fround(greedyReward);
      return spreadOut(
        group.rollouts,
        rewards.map((reward) => (baseline === undefined ? 0 : reward - baseline)),
      );
    };
    return {
      estimate: (groups) => groups.map((group) => ({ advantages: advantagesOf(group) })),
      isDead: (group) => advantagesOf(group).every((advantage) => advantage === 0),
    };
  },
});
