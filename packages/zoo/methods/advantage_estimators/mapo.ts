/**
 * The deviation of a group is smallest where nearly all of it is right or wrong, which blows up its advantages; there the
 * share of the mean by which a reward exceeds it says more. Of rewards of 0 and 1 the mean is the share of right answers;
 * others count as if they were cut to these.
 */
import { type AdvantageEstimator, deviationOf, EPSILON, estimateByGroup, meanOf, method } from '../kit.ts';

export const mapo = method({
  id: 'mapo',
  about: {
    does: 'Divides by the deviation where a group is undecided, and by the mean where it is nearly all right or wrong.',
    names: ['mixed advantage policy optimization', 'advantage percent deviation'],
    formula: 'A = (1 − λ)·(R − μ)/σ + λ·(R − μ)/μ, λ = 1 − 4·μ·(1 − μ)',
    source: '2509.18849',
    certainty: 'paper',
    when: 'Where few of a group are right, of rewards of 0 and 1: it weighs rare right answers, and spares rare wrong ones.',
  },
  create: (): AdvantageEstimator => ({
    estimate: (groups) =>
      estimateByGroup(groups, (rewards) => {
        const [mean, deviation] = [meanOf(rewards), deviationOf(rewards) + EPSILON];
        const share = Math.min(Math.max(mean, 0), 1);
        const certainty = 1 - 4 * share * (1 - share);
        const overMean = mean > 0 ? certainty / mean : 0;
        return rewards.map((reward) => (reward - mean) * ((1 - certainty) / deviation + overMean));
      }),
  }),
});
