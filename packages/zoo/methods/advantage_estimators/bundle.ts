/**
 * Every member gets the standard score of its bundle. A group of equal rewards is not dead: its completions are in
 * bundles that differ. These are the bundles of RiskPO (arXiv:2510.00911) without its risk measure.
 */
import { type AdvantageEstimator, hasNoReward, method, standardScores } from '../kit.ts';
import { BUNDLE_OPTIONS, bundlesOf, zerosFor } from '../support/credit/bundles.ts';

export const bundle = method({
  id: 'bundle',
  about: {
    does: 'Adds up the rewards of several problems, and compares these sums.',
    formula: 'A = (R_b − mean R_b)/(std R_b + 1e-4), R_b = Σ of one completion of each problem of the set',
    source: '2510.00911',
    certainty: 'own',
  },
  options: BUNDLE_OPTIONS,
  create: (options): AdvantageEstimator => ({
    isDead: hasNoReward,
    estimate(groups, { rng }) {
      const bundles = bundlesOf(groups, options, rng);
      const advantages = zerosFor(groups);
      for (const set of new Set(bundles.map((each) => each.set))) {
        const own = bundles.filter((each) => each.set === set);
        const scores = standardScores(own.map(({ score }) => score));
        own.forEach(({ members }, j) => {
          for (const { group, rollout } of members) advantages[group][rollout] = scores[j];
        });
      }
      return advantages.map((own) => ({ advantages: own }));
    },
  }),
});
