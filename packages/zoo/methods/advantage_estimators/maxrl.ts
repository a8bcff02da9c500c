/**
 * A problem counts the more the more rarely it is solved; the expected gradient is that of a truncated log-likelihood of
 * success. For rewards that are never negative.
 */
import { type AdvantageEstimator, groupAdvantages, method } from '../kit.ts';

export const maxrl = method({
  id: 'maxrl',
  about: {
    does: 'Compares each completion with the mean of its group, and divides by it.',
    formula: 'A = (R − μ)/μ; 0 where μ ≤ 0',
    source: '2602.02710',
    certainty: 'paper',
  },
  against: ['entropy-collapse', 'pass-at-k-falls', 'sharpening'],
  sameAs: { id: 'group', options: { scale_rewards: 'mean' } },
  create: (): AdvantageEstimator => groupAdvantages({ baseline: 'group', divisor: 'mean' }),
});
