/** What m-cov and m-entropy log, and that they change nothing. */
import { describe, expect, it } from 'vitest';
import { creditedGroup, creditStep } from '../../../../../test/support/credit.ts';

const group = creditedGroup([
  {
    reward: 1,
    byToken: [1, 1, 1, 1],
    logprobs: Float32Array.of(0, Math.log(0.995), Math.log(0.5), Math.log(0.5)),
    entropies: Float32Array.of(0, 0.1, 0.2, 0.3),
  },
  {
    reward: 0,
    byToken: [-1, -1],
    logprobs: Float32Array.of(Math.log(0.01), Math.log(0.5)),
    entropies: Float32Array.of(1, 0.4),
  },
  { reward: 0, inLoss: false, byToken: [9], entropies: Float32Array.of(9), logprobs: Float32Array.of(-9) },
]);

describe('m-cov', () => {
  it('is the covariance over the tokens that carry a loss', () => {
    const step = creditStep('m-cov');
    const groups = [group];
    expect(step.apply(groups)).toBe(groups);
    const logprobs = [0, Math.log(0.995), Math.log(0.5), Math.log(0.5), Math.log(0.01), Math.log(0.5)];
    const mean = logprobs.reduce((sum, x) => sum + x, 0) / 6;
    const covariance = [1, 1, 1, 1, -1, -1].reduce((sum, a, i) => sum + ((a - 1 / 3) * (logprobs[i] - mean)) / 6, 0);
    expect(step.logged.covariance).toBeCloseTo(covariance, 6);
    expect(step.logged.covariance).toBeGreaterThan(0);
  });

  it('is 0 where all tokens are alike, where advantages are, and where there are none', () => {
    for (const groups of [
      [],
      [creditedGroup([{ advantage: 1 }, { advantage: -1 }])],
      [creditedGroup([{ byToken: [2, 2] }])],
    ]) {
      const step = creditStep('m-cov');
      step.apply(groups);
      expect(step.logged.covariance).toBe(0);
    }
  });
});

describe('m-entropy', () => {
  it('tells right from wrong, quarter from quarter, sure from unsure', () => {
    const step = creditStep('m-entropy');
    const groups = [group];
    expect(step.apply(groups)).toBe(groups);
    const expected = {
      right: 0.15,
      wrong: 0.7,
      quarter_1: 0.5,
      quarter_2: 0.1,
      quarter_3: 0.3,
      quarter_4: 0.3,
      least_sure: 0.7,
      certain_share: 2 / 6,
      unlikely_share: 1 / 6,
    };
    expect(Object.keys(step.logged).sort()).toEqual(Object.keys(expected).sort());
    for (const [name, value] of Object.entries(expected)) expect(step.logged[name]).toBeCloseTo(value, 6);
  });

  it('of no tokens has shares of 0, and no entropies', () => {
    const step = creditStep('m-entropy');
    step.apply([]);
    expect(step.logged).toEqual({ certain_share: 0, unlikely_share: 0 });
  });
});
