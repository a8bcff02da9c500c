/** Every token counts 1, so that the gradient grows with the batch; verl's `token-sum`. Adam divides that out, a clip of the gradient does not. */
import { method } from '../method.ts';
import type { Aggregation } from '../points.ts';

export const tokenSum = method({
  id: 'token-sum',
  about: {
    does: 'Adds up all tokens, so that the gradient grows with the batch.',
    formula: 'c = 1',
    source: 'own',
    certainty: 'own',
  },
  create: (): Aggregation => () => 1,
});
