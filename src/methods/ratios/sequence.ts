import { method } from '../method.ts';
import type { Ratio } from '../points.ts';
import { addUp, spreadSum } from '../support/loss/whole_sequence.ts';

export const sequence = method({
  id: 'sequence',
  about: {
    does: 'Weighs and clips a completion as a whole, by the geometric mean of its ratios.',
    names: ['GSPO'],
    formula: 's = exp(mean_t (logprob_t − old_t))',
    source: '2507.18071',
    certainty: 'paper',
  },
  actsOn: 'moved or tokens',
  create: (): Ratio => ({
    isPerSequence: true,
    measure(sequence, logRatios) {
      const { sum, tokens } = addUp(sequence);
      logRatios.fill(sum / Math.max(1, tokens));
    },
    spread(sequence, slopes, dLogprobs) {
      const { tokens } = addUp(sequence);
      spreadSum(sequence, slopes, 1 / Math.max(1, tokens), dLogprobs);
    },
  }),
});
