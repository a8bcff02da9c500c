import { type Aggregation, method } from '../kit.ts';

/**
 * The policy's own term multiplies c = 1/(B·Σω) by ω; other terms, as the KL, see the plain c. Without weights it is
 * `seq-mean`.
 */
export const weightedSeqMean = method({
  id: 'weighted-seq-mean',
  about: {
    does: 'Each completion counts the same, and its tokens by the weights that credit steps gave them.',
    formula: 'c = ω_t/(B·Σ_t ω_t)',
    source: 'own',
    certainty: 'own',
    when: 'Beside a credit step that weighs tokens, so that a weighted completion counts no more than another; else it is seq-mean.',
  },
  create:
    (): Aggregation =>
    (tokens, { completions }, { tokenWeight }) =>
      1 / (completions * (tokenWeight > 0 ? tokenWeight : tokens)), // where every weight is 0 so is the policy's own term
});
