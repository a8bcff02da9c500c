/** Leave-one-out baseline: each completion against the mean of the others of its group. Unbiased, as no reward is in its own baseline. */
import { method } from '../method.ts';
import type { AdvantageEstimator } from '../points.ts';
import { estimateByGroup } from '../support/credit/baseline.ts';

export const rloo = method({
  id: 'rloo',
  about: {
    does: 'Compares each completion with the mean of the others of its group; undivided.',
    names: ['leave-one-out'],
    formula: 'A_i = R_i − mean_{j≠i} R_j',
    source: '2402.14740',
    certainty: 'paper',
  },
  create: (): AdvantageEstimator => ({
    estimate: (groups) =>
      estimateByGroup(groups, (rewards) => {
        const sum = rewards.reduce((total, reward) => total + reward, 0);
        return rewards.map((reward) => (rewards.length < 2 ? 0 : reward - (sum - reward) / (rewards.length - 1)));
      }),
  }),
});
