/** Reads the advantages as they are at its place in the list, under the policy that sampled. */
import { advantagesByToken } from '../../../../src/methods/support/credit/map_advantages.ts';
import { type CreditStep, carriesLoss, meanOf, method } from '../kit.ts';

export const mCov = method({
  id: 'm-cov',
  about: {
    does: 'Measures whether likely tokens are rewarded, by which the entropy falls; changes nothing.',
    formula: 'mean_t (A_t − mean A)·(logprob_t − mean logprob)',
    source: '2505.22617',
    certainty: 'paper',
    when: 'To see why entropy falls: it falls as fast as likely tokens are rewarded.',
  },
  onlyMeasures: true,
  create: (): CreditStep => ({
    apply(groups, { metric }) {
      const [advantages, logprobs]: number[][] = [[], []];
      for (const group of groups) {
        group.rollouts.forEach((rollout, i) => {
          const own = advantagesByToken(group, i);
          for (let t = 0; t < own.length; t++) {
            if (!carriesLoss(rollout, t)) continue;
            advantages.push(own[t]);
            logprobs.push(rollout.logprobs[t]);
          }
        });
      }
      const [center, middle] = [meanOf(advantages), meanOf(logprobs)];
      metric('covariance', meanOf(advantages.map((advantage, k) => (advantage - center) * (logprobs[k] - middle))));
      return groups;
    },
  }),
});
