/** Each completion counts the same. c = 1/(B·L); `loss_type: grpo`. */
import { method } from '../method.ts';
import type { Aggregation } from '../points.ts';

export const seqMean = method({
  id: 'seq-mean',
  about: { does: 'Each completion counts the same.', formula: 'c = 1/(B·L)', source: '2402.03300', certainty: 'paper' },
  create:
    (): Aggregation =>
    (tokens, { completions }) =>
      1 / (completions * tokens),
});
