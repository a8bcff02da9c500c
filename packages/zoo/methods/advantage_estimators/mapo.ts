/**
 * The deviation of a group is smallest where nearly all of it is right or wrong, which blows up its advantages; there the
 * share of the mean by which a reward exceeds it says more. Rewards are meant to be 0 and 1.
 */
import { type AdvantageEstimator, counts, deviationOf, EPSILON, estimateByGroup, meanOf, method } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';

export const mapo = method({
  id: 'mapo',
  about: {
    does: 'Divides by the deviation where a group is undecided, and by the mean where it is nearly all right or wrong.',
    names: ['mixed advantage policy optimization', 'advantage percent deviation'],
    formula: 'A = (1 − λ)·(R − μ)/σ + λ·(R − μ)/μ, λ = 1 − 4·p·(1 − p), p the share of the group that is solved',
    source: '2509.18849',
    certainty: 'paper',
    when: 'Where few of a group are right, of rewards of 0 and 1: it weighs rare right answers, and spares rare wrong ones.',
  },
  options: SOLVED_OPTIONS,
  create: (options): AdvantageEstimator => {
    const solves = solvedBy(options);
    return {
      estimate: (groups) =>
        groups.flatMap((group) => {
          const solved = meanOf(group.rollouts.filter(counts).map((rollout) => Number(solves(rollout))));
          const certainty = 1 - 4 * solved * (1 - solved);
          return estimateByGroup([group], (rewards) => {
            const [mean, deviation] = [meanOf(rewards), deviationOf(rewards) + EPSILON];
            const overMean = mean > 0 ? certainty / mean : 0;
            return rewards.map((reward) => (reward - mean) * ((1 - certainty) / deviation + overMean));
          });
        }),
    };
  },
});
