/**
 * Keeps rare tokens alive that a plausible distribution would keep: KL of the policy to itself without its noise, a
 * proxy whose tokens of low probability are cut and whose rest is scaled up. It acts where a token of negative
 * advantage was improbable and yet survives the cut: there alone it would be unlearned for good.
 *
 *   τ = kappa·max_v p_v, or lp_reg_tau;  proxy_v ∝ p_v where p_v ≥ τ, else 0, taken as a constant
 *   L += lp_reg_coef·KL(proxy‖p);  by the tempered logits p_v − proxy_v
 *
 * Which tokens it acts on is recalled, not read again.
 */

import { distributions } from '../../../../src/methods/uses/distributions.ts';
import { type CreditedGroup, carriesLoss, key, keys, type LossTerm, method, number, optional } from '../kit.ts';

export const lpReg = method({
  id: 'lp-reg',
  about: {
    does: 'Keeps rare but plausible tokens from being unlearned.',
    formula:
      'lp_reg_coef·KL(proxy‖p), proxy ∝ p where p ≥ lp_reg_kappa·max p, at tokens with A < 0 that are in the lowest ' +
      'lp_reg_share of the step and in the proxy',
    source: '2510.03222',
    certainty: 'after the paper',
  },
  against: ['entropy-collapse'],
  options: keys({
    lpRegCoef: number({ min: 0, example: 1 }).default(1).describe('Weight of the divergence.'),
    noiseShare: key(
      'lp_reg_kappa',
      number({ min: 0, max: 1, example: 0.02 })
        .default(0.02)
        .describe('Share of the largest probability below which a token is noise; 0 keeps all.'),
    ),
    noiseFloor: key(
      'lp_reg_tau',
      optional(number({ min: 0, below: 1, example: 0.02 })).describe(
        'A fixed probability in the place of that share. Default none.',
      ),
    ),
    rarestShare: key(
      'lp_reg_share',
      number({ above: 0, max: 1, example: 0.05 })
        .default(0.01)
        .describe('Share of the tokens of a step, the least probable when sampled, that it may act on.'),
    ),
  }),
  uses: () => [distributions],
  create: ({ lpRegCoef, noiseShare, noiseFloor, rarestShare }): LossTerm => {
    let highest = Number.NEGATIVE_INFINITY;
    return {
      coupling: 'token',
      stopsGradient: true,
      begin(groups) {
        highest = quantileOf(groups, rarestShare);
      },
      add(sequences, gradients) {
        sequences.forEach((sequence, i) => {
          const { advantages, coefficients, oldLogprobs, distributions, rollout } = sequence;
          const { losses, dLogits } = gradients[i];
          if (distributions === undefined) throw new RangeError('lp-reg needs whole distributions');
          const width = distributions.length / Math.max(1, coefficients.length);
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0 || advantages[t] >= 0 || oldLogprobs[t] > highest) continue;
            const [begin, end] = [t * width, (t + 1) * width];
            const floor =
              noiseFloor === undefined
                ? Math.log(noiseShare) + mostOf(distributions, begin, end)
                : Math.log(noiseFloor);
            if (distributions[begin + rollout.tokens[t]] < floor) continue;
            let [kept, words] = [0, 0];
            for (let v = begin; v < end; v++) {
              if (distributions[v] < floor) continue;
              kept += Math.exp(distributions[v]);
              words++;
            }
            if (words === width) continue; // nothing is cut: the proxy is the policy
            const weight = lpRegCoef * coefficients[t];
            losses[t] -= weight * Math.log(Math.min(1, kept)); // of the proxy, ln proxy_v − ln p_v is −ln kept everywhere
            if (dLogits === undefined) continue;
            for (let v = begin; v < end; v++) {
              const p = Math.exp(distributions[v]);
              dLogits[v] += weight * (distributions[v] >= floor ? p - p / kept : p);
            }
          }
        });
      },
    };
  },
});

/** The log-prob at or below which a share of the tokens that carry a loss were sampled. */
function quantileOf(groups: readonly CreditedGroup[], share: number): number {
  const logprobs = groups
    .flatMap(({ rollouts }) => rollouts)
    .flatMap((rollout) => [...rollout.logprobs].filter((_, t) => carriesLoss(rollout, t)))
    .sort((a, b) => a - b);
  if (logprobs.length === 0) return Number.NEGATIVE_INFINITY;
  return logprobs[Math.max(0, Math.ceil(share * logprobs.length) - 1)];
}

function mostOf(values: Float32Array, begin: number, end: number): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = begin; i < end; i++) if (values[i] > most) most = values[i];
  return most;
}
