/**
 * CISPO: every token keeps its gradient, weighted by its ratio, which is clipped from above and treated as a constant.
 * As in TRL, epsilon_high is the bound itself. verl's has a lower bound too, 0.8 (`cispo_min`).
 */
import { key, laterKey, number, optional } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { Surrogate } from '../points.ts';

export const cispo = method({
  id: 'cispo',
  about: {
    does: 'Weighs each token by its ratio, cut from above, and clips no gradient.',
    formula: '−sg(min(r, epsilon_high))·A·log π',
    source: '2506.13585',
    certainty: 'paper',
  },
  against: ['clip-fraction'],
  optionsAreStageKeys: true,
  lossTypes: { cispo: 'token-mean' },
  options: {
    mostRatio: key(
      'epsilon_high',
      optional(number({ above: 0, example: 5 })).describe('Upper bound of the ratio itself. Default 5 (TRL: epsilon).'),
    ),
    leastRatio: laterKey(
      'cispo_min',
      number({ min: 0, below: 1, example: 0.8 }).default(0).describe('Lower bound of the ratio itself; 0 is none.'),
    ),
  },
  complete: ({ mostRatio = 5, leastRatio }) => ({ mostRatio, leastRatio }),
  actsOn: ({ mostRatio = 5, leastRatio }) => (leastRatio <= 1 && mostRatio >= 1 ? 'moved' : undefined),
  create: ({ mostRatio = 5, leastRatio }): Surrogate => ({
    stopsGradient: true,
    at({ logRatio, logprob, advantage }, out) {
      const weight = Math.max(Math.min(Math.exp(logRatio), mostRatio), leastRatio) * advantage;
      out.loss = -weight * logprob;
      out.logprobSlope = -weight;
    },
    clipMetric: 'cispo_clip_ratio',
    clipped: ({ logRatio, advantage }) => (advantage > 0 && Math.exp(logRatio) > mostRatio ? 'high' : undefined),
  }),
});
