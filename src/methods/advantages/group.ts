/**
 * Group-relative advantages: (reward − mean of the group) / (deviation + 1e-4), with n − 1; of the group, of the batch,
 * or undivided. A dead group's are exactly 0. The engine has a kernel for it (kernels.ts, groupAdvantages).
 */
import { z } from 'zod';
import { key } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { AdvantageEstimator } from '../points.ts';
import { deviationOf, meanOf } from '../statistics.ts';
import { estimateByGroup, rewardsOf } from './baseline.ts';

/** Keeps a deviation near 0 from blowing up rounding noise; TRL's. */
const EPSILON = 1e-4;

export const group = method({
  id: 'group',
  about: {
    does: 'Compares each completion with the others of its group.',
    formula: 'A = (R − mean) / (std + 1e-4)',
    source: '2402.03300',
    certainty: 'paper',
  },
  optionsAreStageKeys: true,
  options: {
    scaleRewards: key(
      'scale_rewards',
      z
        .union([z.enum(['group', 'batch', 'none']), z.boolean()], {
          error: 'not a way to scale rewards; use group, batch, none, true (group) or false (none)',
        })
        .default('group')
        .transform((written) => (typeof written === 'string' ? written : written ? 'group' : 'none'))
        .describe(
          'Standard deviation that divides the advantages: of the group, of the batch, or none. Default group.',
        ),
    ),
  },
  create: ({ scaleRewards }): AdvantageEstimator => ({
    device: scaleRewards,
    estimate(groups) {
      const ofBatch = deviationOf(groups.flatMap((each) => rewardsOf(each)));
      return estimateByGroup(groups, (rewards) => {
        const center = meanOf(rewards);
        const deviation = scaleRewards === 'batch' ? ofBatch : deviationOf(rewards);
        const divisor = scaleRewards === 'none' ? 1 : deviation + EPSILON;
        return rewards.map((reward) => (reward - center) / divisor);
      });
    },
  }),
});
