import { method } from '../method.ts';
import type { Ratio } from '../points.ts';
import { addUp } from '../support/loss/whole_sequence.ts';

/**
 * The value is that of `sequence`; its gradient acts on each token separately, so that advantages may differ by token.
 */
export const sequenceToken = method({
  id: 'sequence_token',
  about: {
    does: "Clips by the completion's ratio, and moves each token by its own advantage.",
    names: ['GSPO-token'],
    formula: 'r_t = sg(s)·exp(logprob_t − sg(logprob_t))',
    source: '2507.18071',
    certainty: 'paper',
  },
  actsOn: 'moved',
  create: (): Ratio => ({
    isPerSequence: true,
    stopsGradient: true,
    measure(sequence, logRatios) {
      const { sum, tokens } = addUp(sequence);
      logRatios.fill(sum / Math.max(1, tokens));
    },
    spread({ coefficients }, slopes, dLogprobs) {
      for (let t = 0; t < coefficients.length; t++) dLogprobs[t] += slopes[t];
    },
  }),
});
