/** What becomes of tokens beyond a clip: gppo, aspo, bapo, and the mask that stands for one. */
import { describe, expect, it } from 'vitest';
import type { LossSequence } from '../../../../../src/methods/points.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { gradientsOf, groupBy, lossOf, slopesOf, surrogateOf } from '../../support/losses.ts';

/** What a token of this ratio and advantage weighs, as a multiple of its advantage. */
const weightBy = (objective: string, given: Readonly<Record<string, number>> = {}) => {
  const at = surrogateOf(objective, given);
  return (ratio: number, advantage: number): number => {
    const [logRatio, logprob] = [Math.log(ratio), -1];
    return at({ logRatio, logprob, oldLogprob: logprob - logRatio, advantage }).logprobSlope / -advantage;
  };
};

it('gppo keeps a share of the bound beyond the clip, by the side', () => {
  const weight = weightBy('gppo', { gppo_epsilon: 0.2, gppo_epsilon_high: 0.28, gppo_below: 0.75, gppo_above: 0.5 });
  expect(weight(1.1, 2)).toBeCloseTo(1.1, 12);
  expect(weight(0.3, 2)).toBeCloseTo(0.3, 12);
  expect(weight(3, -2)).toBeCloseTo(3, 12);
  expect(weight(0.5, -2)).toBeCloseTo(0.75 * 0.8, 12);
  expect(weight(2, 2)).toBeCloseTo(0.5 * 1.28, 12);
});

it('gppo without its shares has the gradient of PPO', () => {
  const weight = weightBy('gppo', { gppo_below: 0, gppo_above: 0 });
  const ppo = surrogateOf('ppo-clip', { epsilon: 0.2 });
  for (const ratio of [0.3, 0.79, 0.81, 1, 1.19, 1.21, 4]) {
    for (const advantage of [-1.5, 1.5]) {
      const { slope } = ppo({ logRatio: Math.log(ratio), logprob: -1, oldLogprob: -1, advantage });
      expect(weight(ratio, advantage)).toBeCloseTo(slope / -advantage, 12);
    }
  }
});

it('aspo turns the ratio around where the advantage is positive, leaves out what PPO clips, and cuts the rest', () => {
  const weight = weightBy('aspo', { aspo_epsilon: 0.2, aspo_epsilon_high: 0.28, aspo_max: 3 });
  expect(weight(0.5, 1)).toBeCloseTo(2, 12);
  expect(weight(0.1, 1)).toBe(3);
  expect(weight(1.25, 1)).toBeCloseTo(0.8, 12);
  expect(Math.abs(weight(1.3, 1))).toBe(0);
  expect(weight(0.9, -1)).toBeCloseTo(0.9, 12);
  expect(weight(5, -1)).toBe(3);
  expect(Math.abs(weight(0.7, -1))).toBe(0);
});

/** Tokens of these ratios and advantages, a completion each. */
const tokens = (...given: readonly (readonly [ratio: number, advantage: number])[]): LossSequence[] =>
  groupBy(given.map(([ratio, advantage]) => ({ logprobs: [-1], oldLogprobs: [-1 - Math.log(ratio)], advantage })));

describe('bapo', () => {
  it('is PPO within its first bounds where positive advantages have their share', () => {
    const given = tokens([1.1, 2], [0.5, -1], [0.7, -0.5], [2, 0.5]);
    const ppo = 'objective: {name: ppo-clip, epsilon: 0.4, epsilon_high: 0.2}';
    expect(slopesOf(gradientsOf(given, 'objective: bapo'))).toEqual(slopesOf(gradientsOf(given, ppo)));
  });

  it('raises the lower bound, then the upper one as far as it must', () => {
    // 1.2 of 1.2 + 1.48 are less than a half, and so are 1.45; 1.5 are more.
    const given = tokens([2, 1], [1, -1.48]);
    expect(lossOf(gradientsOf(given, 'objective: bapo'))).toBeCloseTo(-1.5 + 1.48, 6);
    const silenced = tokens([2, 1], [1, -1.48], [0.7, -1e-6]);
    expect(slopesOf(gradientsOf(silenced, 'objective: bapo'))[2]).toBe(0);
  });

  it('stops at its last bounds', () => {
    const given = tokens([2, 1], [5, 1], [1, -100]);
    expectSlopes(given, [-2, 0, 100]);
  });

  it('refuses bounds in the wrong order', () => {
    expect(() => stageOf('objective: {name: bapo, lower_to: 0.5}')).toThrow(/must be from lower_from \(0.6\) to 1/);
    expect(() => stageOf('objective: {name: bapo, upper_from: 0.9}')).toThrow(/must be 1 or more/);
    expect(() => stageOf('objective: {name: bapo, upper_to: 1.1}')).toThrow(/must be upper_from \(1.2\) or more/);
  });
});

function expectSlopes(given: readonly LossSequence[], expected: readonly number[]): void {
  slopesOf(gradientsOf(given, 'objective: bapo')).forEach((slope, i) => expect(slope).toBeCloseTo(expected[i], 5));
}

describe('gepo', () => {
  const probabilities = [0.5, 0.25, 0.125];
  const given = (moved: readonly number[], advantages: readonly number[]): LossSequence[] =>
    groupBy(
      probabilities.map((q, i) => ({
        logprobs: [Math.log(q * moved[i]) - 1, Math.log(q * moved[i]) + 1],
        oldLogprobs: [Math.log(q), Math.log(q)],
        advantage: advantages[i],
        coefficient: 1 / 6,
      })),
    );
  const expected = (0.5 ** 2 + 0.25 ** 2 + 0.125 ** 2) / (0.5 + 0.25 + 0.125); // 0.375

  it('weighs by the probability of a token over that of the group, expected under the sampler', () => {
    const weights = [1, 1.5, 3.2].map((by, i) => (by * probabilities[i]) / expected);
    expect(weights).toEqual([4 / 3, 1, 3.2 / 3].map((weight) => expect.closeTo(weight, 12)));
    const wide = 'objective: {name: gepo, gepo_epsilon: 0.9, gepo_epsilon_high: 9}';
    const gradients = gradientsOf(given([1, 1.5, 3.2], [1, -2, 3]), wide);
    expect(lossOf(gradients)).toBeCloseTo(-(weights[0] - 2 * weights[1] + 3 * weights[2]) / 3, 6);
    const slopes = [-weights[0], 2 * weights[1], -3 * weights[2]].flatMap((slope) => [slope / 6, slope / 6]);
    slopesOf(gradients).forEach((slope, i) => expect(slope).toBeCloseTo(slopes[i], 6));
  });

  it('clips as PPO does', () => {
    const slopes = slopesOf(gradientsOf(given([1, 1, 1], [1, 1, -1]), 'objective: gepo'));
    expect(slopes.map(Math.abs).map((slope) => slope > 0)).toEqual([false, false, true, true, false, false]);
  });
});

it('second-moment-mask leaves out as few tokens as bring the mean square of the others within its bound', () => {
  const given = tokens([Math.E, 1], [Math.exp(-0.3), 1], [Math.exp(0.2), -1], [Math.exp(0.1), -1]);
  const masked = (most: number): boolean[] =>
    slopesOf(
      gradientsOf(given, 'objective: reinforce', `token_weights: [{name: second-moment-mask, m2_max: ${most}}]`),
    ).map((slope) => Math.abs(slope) === 0);
  expect(masked(0.3)).toEqual([false, false, false, false]); // (1 + 0.09 + 0.04 + 0.01)/4 = 0.285
  expect(masked(0.05)).toEqual([true, false, false, false]); // 0.14/3 = 0.047
  expect(masked(0.03)).toEqual([true, true, false, false]); // 0.05/2 = 0.025
  expect(masked(0)).toEqual([true, true, true, true]);
});
