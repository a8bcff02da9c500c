import { counts, type GroupStep, key, method, number, type RolloutGroup } from '../kit.ts';
import { spreadOf } from '../support/rewards/relative.ts';

/** The order of nearly equal rewards is noise, which a division by the deviation blows up. */
export const spreadGuard = method({
  id: 'spread-guard',
  about: {
    does: 'Leaves groups alone whose rewards hardly differ.',
    formula: 'dead where max R − min R < min_reward_spread',
    source: '2508.20751',
    certainty: 'paper',
  },
  options: {
    leastSpread: key(
      'min_reward_spread',
      number({ above: 0, example: 0.05 }).describe('Least difference of the best and the worst reward of a group.'),
    ),
  },
  create: ({ leastSpread }): GroupStep => ({
    scope: 'group',
    apply(groups, { metric }) {
      const isClose = ({ rollouts }: RolloutGroup): boolean =>
        spreadOf(rollouts.flatMap((rollout) => (counts(rollout) ? [rollout.reward] : []))) < leastSpread;
      metric('dead', groups.filter(isClose).length / Math.max(1, groups.length));
      return groups.map((group) => (isClose(group) ? { ...group, dead: true } : group));
    },
  }),
});
