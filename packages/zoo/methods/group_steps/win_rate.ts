import { type GroupStep, keys, method, number } from '../kit.ts';
import { winRates } from '../support/rewards/relative.ts';
import {
  changeConflict,
  changedReward,
  mapWithinGroups,
  paysReward,
  targetOf,
} from '../support/rewards/reward_parts.ts';

/** Rewards that differ by their noise alone give no advantage, where a division by their deviation would blow it up. */
export const winRate = method({
  id: 'win-rate',
  about: {
    does: 'Rewards each completion by the share of its group that it beats.',
    formula: 'R = (wins + ½·ties)/(G − 1), a tie where |difference| ≤ tie_margin',
    source: '2508.20751',
    certainty: 'paper',
  },
  options: keys({
    comparedReward: changedReward,
    tieMargin: number({ min: 0, example: 0.005 }).default(0).describe('Rewards that differ by no more are tied.'),
  }),
  isRepeatable: true,
  conflict: changeConflict,
  pays: paysReward('changes'),
  create: ({ comparedReward, tieMargin }, stage): GroupStep => {
    const target = targetOf(stage, comparedReward);
    return {
      scope: 'group',
      apply: (groups) => mapWithinGroups(groups, target, (values) => winRates(values, tieMargin)),
    };
  },
});
