import { method } from '../method.ts';
import type { Ratio } from '../points.ts';

/** PPO's ratio, and the one that the engine's kernel has. */
export const token = method({
  id: 'token',
  about: {
    does: 'Weighs and clips each token by its own ratio.',
    formula: 'r_t = exp(logprob_t − old_t)',
    source: '1707.06347',
    certainty: 'paper',
  },
  create: (): Ratio => ({
    onDevice: true,
    measure({ logprobs, oldLogprobs, coefficients }, logRatios) {
      for (let t = 0; t < coefficients.length; t++) {
        logRatios[t] = coefficients[t] === 0 ? 0 : logprobs[t] - oldLogprobs[t];
      }
    },
    spread({ coefficients }, slopes, dLogprobs) {
      for (let t = 0; t < coefficients.length; t++) dLogprobs[t] += slopes[t];
    },
  }),
});
