/**
 * For graded rewards, where a deviation is never quite 0 and dividing by it makes noise of the last digit as large as a
 * success. The first batches pass, so that the average means something. Filtered groups give neither loss nor advantage.
 */

import { withoutLoss } from '../../../../src/methods/support/credit/without_loss.ts';
import { type CreditStep, deviationOf, integer, keys, meanOf, method, number, rewardsOf } from '../kit.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';

export const stdEmaFilter = method({
  id: 'std-ema-filter',
  about: {
    does: 'Leaves groups out whose rewards differ much less than they used to.',
    names: ['RLPR'],
    formula: 'keep where std(R) ≥ std_share·EMA(mean_groups std(R))',
    source: '2506.18254',
    certainty: 'paper',
  },
  options: keys({
    stdShare: number({ min: 0, example: 0.5 })
      .default(0.5)
      .describe('Least deviation of a group, as a share of the moving average.'),
    stdMemory: number({ min: 0, below: 1, example: 0.99 })
      .default(0.99)
      .describe('Share of the moving average that stays from batch to batch.'),
    stdWarmup: integer({ min: 1, example: 6 }).default(6).describe('First batches of the stage that all pass.'),
  }),
  create: ({ stdShare, stdMemory, stdWarmup }): CreditStep => {
    let kept = { average: 0, batches: 0 };
    return {
      apply(groups, { metric }) {
        if (groups.length === 0) return groups;
        const deviations = groups.map((group) => (group.dead ? 0 : deviationOf(rewardsOf(group))));
        const { average, batches } = kept;
        const mean = meanOf(deviations);
        const newest = batches === 0 ? 1 : 1 - stdMemory;
        kept = { average: average + newest * (mean - average), batches: batches + 1 };
        const least = batches < stdWarmup ? 0 : stdShare * average;
        metric('least_std', least);
        metric('dropped', groups.filter((group, g) => !group.dead && deviations[g] < least).length);
        return groups.flatMap((group, g) => {
          if (group.dead || deviations[g] >= least) return [group];
          return mapAdvantages(
            withoutLoss([group], () => true),
            () => 0,
          );
        });
      },
      state: () => kept,
      restore(state) {
        kept = state as typeof kept; // written by `state`
      },
    };
  },
});
