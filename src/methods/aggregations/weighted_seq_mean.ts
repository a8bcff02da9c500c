/**
 * Each completion counts the same, and within it each token by the weight ω that credit steps gave it. c = 1/(B·Σω), which
 * the policy's own term multiplies by ω. Other terms, as the KL, see the plain c. Without weights it is `seq-mean`.
 */
import { method } from '../method.ts';
import type { Aggregation } from '../points.ts';

export const weightedSeqMean = method({
  id: 'weighted-seq-mean',
  about: {
    does: 'Each completion counts the same, and its tokens by the weights that credit steps gave them.',
    formula: 'c = ω_t/(B·Σ_t ω_t)',
    source: 'own',
    certainty: 'own',
  },
  create:
    (): Aggregation =>
    (tokens, { completions }, { tokenWeight }) =>
      1 / (completions * (tokenWeight > 0 ? tokenWeight : tokens)), // where every weight is 0 so is the policy's own term
});
