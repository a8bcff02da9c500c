import { type AdvantageEstimator, method } from '../kit.ts';
import { rewardsLess } from '../support/credit/rewards_less.ts';

/** Positive sample reinforcement: without a baseline, what earns nothing is not learned from. */
export const psr = method({
  id: 'psr',
  about: {
    does: 'Takes the reward as it is: of rewards 0 and 1, learns from solved completions alone.',
    formula: 'A = R',
    source: '2506.01347',
    certainty: 'paper',
  },
  sameAs: { id: 'constant', options: { constant_baseline: 0 } },
  create: (): AdvantageEstimator => rewardsLess(0),
});
