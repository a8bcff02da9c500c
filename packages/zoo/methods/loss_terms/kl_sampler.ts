/**
 * Where top-k, top-p or min-p cut what may be sampled, it acts at the first update already. prime-rl's, beside the
 * objective `dppo-tv`.
 */

import { bounded } from '../../../../src/methods/ratios/bounded.ts';
import { isTruncated, key, type LossTerm, method, number } from '../kit.ts';

export const klSampler = method({
  id: 'kl-sampler',
  about: {
    does: 'Holds the policy near the one that sampled, without a reference.',
    formula: 'kl_tau·(log π − log π_sampled)²',
    source: 'own',
    certainty: 'after the paper',
  },
  options: {
    samplerWeight: key('kl_tau', number({ min: 0, example: 0.001 }).default(0.001).describe('Weight of the square.')),
  },
  actsOn: (_, stage) => (isTruncated(stage) ? undefined : 'moved'),
  create: ({ samplerWeight }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    add(sequences, gradients) {
      sequences.forEach(({ logprobs, oldLogprobs, coefficients, rollout: { keptLogMass } }, i) => {
        const { losses, dLogprobs } = gradients[i];
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const distance = logprobs[t] - oldLogprobs[t] + keptLogMass[t];
          const kept = bounded(distance);
          const weight = coefficients[t] * samplerWeight;
          losses[t] += weight * kept * kept;
          if (kept === distance) dLogprobs[t] += 2 * weight * kept;
        }
      });
    },
  }),
});
