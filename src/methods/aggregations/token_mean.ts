import { method } from '../method.ts';
import type { Aggregation } from '../points.ts';

export const tokenMean = method({
  id: 'token-mean',
  about: {
    does: 'Each token of the optimizer step counts the same.',
    names: ['DAPO'],
    formula: 'c = 1/N',
    source: '2503.14476',
    certainty: 'paper',
  },
  create:
    (): Aggregation =>
    (_, { lossTokens }) =>
      1 / Math.max(1, lossTokens),
});
