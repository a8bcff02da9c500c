import { addUp, spreadSum } from '../../../../src/methods/support/loss/whole_sequence.ts';
import { method, type Ratio } from '../kit.ts';

/** Exact, and of a variance that grows with its length. */
export const sequenceSum = method({
  id: 'sequence_sum',
  about: {
    does: 'Weighs and clips a completion by the ratio of its probabilities.',
    formula: 'w = exp(Σ_t (logprob_t − old_t))',
    source: '2503.14286',
    certainty: 'after the paper',
  },
  create: (): Ratio => ({
    isPerSequence: true,
    measure(sequence, logRatios) {
      logRatios.fill(addUp(sequence).sum);
    },
    spread: (sequence, slopes, dLogprobs) => spreadSum(sequence, slopes, 1, dLogprobs),
  }),
});
