/**
 * Pays for being unsure under a disturbed prompt: what the policy says of a completion there and here differs most
 * where it has still something to learn. VOGUE (arXiv:2510.01444) disturbs a picture, and samples a part of each group
 * under it, less and less; here the disturbed prompt only measures. Its bonus for the entropy of tokens is the loss
 * term `entropy-bonus`. The coefficients are ours.
 */
import { type CreditStep, carriesLoss, keys, meanOf, method, number } from '../kit.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';
import { noiseKl } from '../uses/noise_kl.ts';

export const noiseBonus = method({
  id: 'noise-bonus',
  about: {
    does: 'Adds to the advantage of completions that the policy is unsure of under a disturbed prompt.',
    names: ['VOGUE', 'uncertainty bonus'],
    formula: 'A_i ← A_i + noise_coef·min(mean_t ½(KL(p‖q) + KL(q‖p)), noise_cap), q under the disturbed prompt',
    source: '2510.01444',
    certainty: 'after the paper',
    when: 'Where exploration has died out and the prompt can be disturbed without changing the answer; it costs a scoring pass.',
  },
  options: keys({
    noiseCoef: number({ min: 0, example: 0.1 }).default(0.1).describe('What a nat is worth beside the advantage.'),
    noiseCap: number({ above: 0, example: 1 }).default(1).describe('Nats from which on more is worth nothing.'),
    noiseShare: number({ above: 0, max: 1, example: 0.3 })
      .default(0.3)
      .describe('Share of the operands of a problem that are masked.'),
  }),
  uses: ({ noiseCoef, noiseShare }) => (noiseCoef === 0 ? [] : [noiseKl(noiseShare)]),
  create: ({ noiseCoef, noiseCap, noiseShare }): CreditStep => ({
    apply(groups, { metric }) {
      if (noiseCoef === 0) return groups;
      const seen: number[] = [];
      const paid = groups.map((group) => {
        const bonusOf = new Map(
          group.rollouts.map((rollout) => {
            const own = [...(noiseKl(noiseShare).of(rollout) ?? [])].filter((_, t) => carriesLoss(rollout, t));
            const unsure = own.length === 0 ? 0 : meanOf(own);
            seen.push(unsure);
            return [rollout, noiseCoef * Math.min(unsure, noiseCap)];
          }),
        );
        return mapAdvantages([group], (advantage, rollout) => advantage + (bonusOf.get(rollout) ?? 0))[0];
      });
      metric('divergence', meanOf(seen));
      return paid;
    },
  }),
});
