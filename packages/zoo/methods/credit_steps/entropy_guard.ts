/**
 * KL and entropy bonus still act on these tokens. Numbers are those of the policy that sampled. After UloRL,
 * arXiv:2507.19766, whose thresholds we recall and have not read again; hence they are options.
 */
import { advantagesByToken } from '../../../../src/methods/support/credit/map_advantages.ts';
import { type CreditedGroup, type CreditStep, carriesLoss, keys, method, number } from '../kit.ts';

export const entropyGuard = method({
  id: 'entropy-guard',
  about: {
    does: 'Stops rewarding tokens that are sure already while the entropy is low.',
    names: ['UloRL', 'mask of well-mastered positive tokens'],
    formula: 'm_t = 0 where A_t > 0, p_t ≥ sure_probability and mean H < low_entropy',
    source: '2507.19766',
    certainty: 'after the paper',
  },
  against: ['entropy-collapse'],
  options: keys({
    lowEntropy: number({ min: 0, example: 0.2 })
      .default(0.2)
      .describe('Mean entropy per token, in nats, below which the guard acts.'),
    sureProbability: number({ above: 0, max: 1, example: 0.99 })
      .default(0.99)
      .describe('Probability of a token from which on it counts as sure.'),
  }),
  create: ({ lowEntropy, sureProbability }): CreditStep => {
    const leastLogprob = Math.log(sureProbability);
    return {
      apply(groups, { metric }) {
        const { mean, tokens } = entropyOf(groups);
        if (tokens === 0 || mean >= lowEntropy) return groups;
        let masked = 0;
        const guarded = groups.map((group) => {
          const tokenWeights = group.rollouts.map((rollout, i) => {
            const advantages = advantagesByToken(group, i);
            const earlier = group.tokenWeights?.[i];
            return rollout.logprobs.map((logprob, t) => {
              if (!(advantages[t] > 0 && logprob >= leastLogprob)) return earlier?.[t] ?? 1;
              if (carriesLoss(rollout, t)) masked++;
              return 0;
            });
          });
          return { ...group, tokenWeights };
        });
        metric('masked', masked / tokens);
        return masked === 0 ? groups : guarded;
      },
    };
  },
});

/** Over the tokens that carry a loss. */
function entropyOf(groups: readonly CreditedGroup[]): { mean: number; tokens: number } {
  let [sum, tokens] = [0, 0];
  for (const { rollouts } of groups) {
    for (const rollout of rollouts) {
      rollout.entropies.forEach((entropy, t) => {
        if (!carriesLoss(rollout, t)) return;
        sum += entropy;
        tokens++;
      });
    }
  }
  return { mean: sum / Math.max(1, tokens), tokens };
}
