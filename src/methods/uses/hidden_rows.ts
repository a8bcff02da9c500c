/** Last hidden rows of the policy on the host, for figures and heads that are computed there. */
import type { Use } from './use.ts';

/** Room for them, and `ScoreQuestion.hidden`. */
export const hiddenRows: Use = {
  id: 'hidden-rows',
  says: 'the last hidden row of each token that is trained on, on the host',
};

/** `LossSequence.hidden`, and derivatives by them. */
export const hiddenGradients: Use = { id: 'hidden-gradients', implies: [hiddenRows] };
