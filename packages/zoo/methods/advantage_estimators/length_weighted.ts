/**
 * The baseline of least variance where the squared length of a completion's score grows with its tokens. Undivided; as
 * in the paper, a completion's own reward is in its baseline.
 */
import { type AdvantageEstimator, areEqual, groupByGroup, lossTokens, meanOf, method } from '../kit.ts';

export const lengthWeighted = method({
  id: 'length-weighted',
  about: {
    does: 'Compares each completion with the mean of its group by tokens: long ones weigh more.',
    formula: 'A = R − Σ_j L_j·R_j / Σ_j L_j',
    source: '2505.23585',
    certainty: 'paper',
    names: ['OPO', 'optimal baseline'],
  },
  create: (): AdvantageEstimator =>
    groupByGroup((rewards, rollouts) => {
      const lengths = rollouts.map(lossTokens);
      const total = lengths.reduce((sum, length) => sum + length, 0);
      const center = total === 0 ? meanOf(rewards) : rewards.reduce((sum, r, i) => sum + lengths[i] * r, 0) / total;
      return rewards.map((reward) => (areEqual(rewards) ? 0 : reward - center));
    }),
});
