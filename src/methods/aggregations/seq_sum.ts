import { method } from '../method.ts';
import type { Aggregation } from '../points.ts';

export const seqSum = method({
  id: 'seq-sum',
  about: {
    does: "Adds up a completion's tokens, so that long ones weigh more, and averages over completions.",
    formula: 'c = 1/B',
    source: '2602.05261',
    certainty: 'after the paper',
  },
  create:
    (): Aggregation =>
    (_, { completions }) =>
      1 / completions,
});
