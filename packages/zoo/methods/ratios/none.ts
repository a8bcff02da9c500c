import { method, type Ratio, uncorrected } from '../kit.ts';

export const none = method({
  id: 'none',
  about: {
    does: 'Takes every ratio as 1: the plain policy gradient, right on-policy alone.',
    names: ['REINFORCE'],
    formula: 'r_t = exp(logprob_t − sg(logprob_t))',
    source: 'own',
    certainty: 'own',
  },
  warn: (_, __, stage, members) => uncorrected(stage, members, 'no ratio corrects', 'token, or '),
  actsOn: 'moved',
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
