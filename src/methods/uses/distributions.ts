/** Whole distributions at each trained token, for terms that learn from more than the sampled one. */
import { reference } from './parameter_sets.ts';
import type { Use } from './use.ts';

/** `LossSequence.distributions`, and derivatives by them. */
export const distributions: Use = {
  id: 'distributions',
  says: 'whole distributions: the log-probs of the vocabulary at each token that is trained on',
  takesDistributions: true,
};

/** `LossSequence.refDistributions`: the same under the reference. */
export const refDistributions: Use = {
  id: 'ref-distributions',
  says: 'the same under the reference',
  implies: [reference, distributions],
  takesDistributions: true,
};
