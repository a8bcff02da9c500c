/** Whether a policy solves more, or is surer of what it could do. */
import { describe, expect, it } from 'vitest';
import { type Reached, riseOf } from '../../src/methods/support/figures/rise.ts';

const share = (mean: number, half = 0.04) => ({ mean, low: mean - half, high: mean + half });
const reached = (greedy: number, sampled: number, pass?: number): Reached => ({
  greedy: share(greedy),
  sampled: share(sampled),
  ...(pass !== undefined && { pass: share(pass) }),
});

describe('what rose', () => {
  it.each([
    ['greedy', reached(0.4, 0.2), reached(0.5, 0.6), 'solves more'],
    ['pass@K alone', reached(0.4, 0.2, 0.5), reached(0.4, 0.2, 0.6), 'solves more'],
    ['sampled alone', reached(0.98, 0.45, 0.99), reached(0.98, 0.97, 0.99), 'surer'],
    [
      'sampled, and what few tries find of what greedy solved',
      reached(1, 0.53, 0.93),
      reached(1, 0.99, 0.999),
      'surer',
    ],
    ['sampled, while the others fall', reached(0.9, 0.4, 0.9), reached(0.8, 0.6, 0.7), 'surer'],
    ['nothing: greedy falls', reached(0.9, 0.4), reached(0.8, 0.4), 'solves less'],
    ['nothing: pass@K falls', reached(0.5, 0.4, 0.9), reached(0.5, 0.4, 0.7), 'solves less'],
    ['nothing', reached(0.5, 0.4, 0.9), reached(0.53, 0.37, 0.88), 'no change'],
    ['nothing that counts: one of them has no pass@K', reached(0.5, 0.4), reached(0.5, 0.4, 0.9), 'no change'],
  ] as const)('is %s', (_, before, after, rise) => {
    expect(riseOf(before, after)).toBe(rise);
  });

  it('is decided by the interval of the difference, narrower than two intervals that do not meet', () => {
    const of = (greedy: number) => reached(greedy, 0.4);
    expect(riseOf(of(0.5), of(0.5 + 0.04 * Math.SQRT2 + 1e-9))).toBe('solves more');
    expect(riseOf(of(0.5), of(0.5 + 0.04 * Math.SQRT2 - 1e-9))).toBe('no change');
  });

  // Warm starts on a teacher who errs, and what reinforcement made of them, as bench/results/recipe.json has had it.
  it.each([
    [
      'copy',
      'surer',
      { greedy: { mean: 1, low: 0.9876, high: 1 }, sampled: { mean: 0.4764, low: 0.4484, high: 0.5044 } },
      { greedy: { mean: 0.9967, low: 0.9818, high: 0.9994 }, sampled: { mean: 0.9886, low: 0.9823, high: 0.9949 } },
    ],
    [
      'proof',
      'solves more',
      { greedy: { mean: 0.5664, low: 0.5231, high: 0.6087 }, sampled: { mean: 0.4639, low: 0.4303, high: 0.4974 } },
      { greedy: { mean: 0.8828, low: 0.8521, high: 0.9079 }, sampled: { mean: 0.8242, low: 0.7973, high: 0.8512 } },
    ],
    [
      'gcd',
      'no change',
      { greedy: { mean: 0.6667, low: 0.4671, high: 0.8203 }, sampled: { mean: 0.3229, low: 0.2107, high: 0.4351 } },
      { greedy: { mean: 0.5, low: 0.3143, high: 0.6857 }, sampled: { mean: 0.5417, low: 0.3513, high: 0.732 } },
    ],
  ] as const)('is for %s: %s', (_, rise, before, after) => {
    expect(riseOf(before, after)).toBe(rise);
  });
});
