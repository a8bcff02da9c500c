/**
 * Pays for staying near the reference within the reward: each token costs k1 = logprob − ref, when it was sampled. With the
 * credit of the rest of the completion (`to_go`) that is the gradient of KL(policy‖reference) over whole completions; with
 * that of the token alone, of the KL at each token, as k2 is as a loss. It comes after the estimator, whose scale the
 * weight is in. As of every credit step, dead groups and completions without a reward are left as they are.
 */

import { advantagesByToken } from '../../../../src/methods/support/credit/map_advantages.ts';
import type { CreditedGroup, CreditStep, Rollout } from '../kit.ts';
import { carriesLoss, choice, counts, keys, method, number } from '../kit.ts';
import { refLogprobs } from '../uses/ref_logprobs.ts';

export const klReward = method({
  id: 'kl-reward',
  about: {
    does: 'Takes the distance from the reference out of the advantage of each token.',
    formula: 'A_t ← A_t − kl_reward_coef·Σ_{s≥t} (logprob_s − ref_s), or of s = t alone',
    source: '1909.08593',
    certainty: 'after the paper',
  },
  options: keys({
    klRewardCoef: number({ min: 0, example: 0.01 })
      .default(0.01)
      .describe('What a nat costs, in units of the advantage.'),
    klCredit: choice(['to_go', 'token'])
      .default('to_go')
      .describe('Which distance a token answers for: from itself to the end, or its own.'),
  }),
  uses: ({ klRewardCoef }) => (klRewardCoef === 0 ? [] : [refLogprobs]),
  holdsPolicy: true,
  create: ({ klRewardCoef, klCredit }): CreditStep => ({
    apply(groups, context) {
      if (klRewardCoef === 0) return groups;
      let [sum, tokens] = [0, 0];
      const costs = (rollout: Rollout): Float64Array => {
        const own = distances(rollout);
        for (let t = 0; t < own.length; t++) {
          if (!carriesLoss(rollout, t)) continue;
          sum += own[t];
          tokens++;
        }
        if (klCredit === 'to_go') for (let t = own.length - 2; t >= 0; t--) own[t] += own[t + 1];
        return own;
      };
      const charged = groups.map((group): CreditedGroup => {
        if (group.dead) return group;
        const tokenAdvantages = group.rollouts.map((rollout, i) => {
          const own = advantagesByToken(group, i);
          if (!counts(rollout)) return own;
          const cost = costs(rollout);
          return own.map((advantage, t) => advantage - klRewardCoef * cost[t]);
        });
        return { ...group, tokenAdvantages };
      });
      context.metric('kl', sum / Math.max(1, tokens));
      return charged;
    },
  }),
});

/** [tokens] logprob − ref; 0 where no loss is. */
function distances(rollout: Rollout): Float64Array {
  const own = refLogprobs.of(rollout);
  if (own === undefined) throw new RangeError('kl-reward needs log-probs under the reference');
  return Float64Array.from(rollout.logprobs, (logprob, t) => (carriesLoss(rollout, t) ? logprob - own[t] : 0));
}
