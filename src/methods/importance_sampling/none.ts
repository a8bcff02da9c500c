/** No correction for an older policy: every ratio is 1, and its gradient that of the log-prob. */
import { isOnPolicy } from '../chosen.ts';
import { method } from '../method.ts';
import type { Ratio } from '../points.ts';

export const none = method({
  id: 'none',
  about: {
    does: 'Takes every ratio as 1: the plain policy gradient, right on-policy alone.',
    names: ['REINFORCE'],
    formula: 'r_t = exp(logprob_t − sg(logprob_t))',
    source: 'own',
    certainty: 'own',
  },
  options: {},
  warn: (_, __, stage) =>
    isOnPolicy(stage)
      ? undefined
      : 'several steps are taken on the same completions, and no ratio corrects for the policy having moved on; use token, ' +
        'or num_iterations: 1 and one step per batch',
  create: (): Ratio => ({
    stopsGradient: true,
    measure(_, logRatios) {
      logRatios.fill(0);
    },
    spread({ coefficients }, slopes, dLogprobs) {
      for (let t = 0; t < coefficients.length; t++) dLogprobs[t] += slopes[t];
    },
  }),
});
