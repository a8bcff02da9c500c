import { method } from '../method.ts';
import type { Aggregation } from '../points.ts';

export const constNorm = method({
  id: 'const-norm',
  about: {
    does: 'A constant, so that long and short completions weigh by their length.',
    names: ['Dr. GRPO'],
    formula: 'c = 1/(B·L_max)',
    source: '2503.20783',
    certainty: 'paper',
  },
  create:
    (): Aggregation =>
    (_, { completions, maxCompletionTokens }) =>
      1 / (completions * maxCompletionTokens),
});
