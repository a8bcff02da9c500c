/** Objectives that fit the policy to something and stop there: the implied policies of nft, gvpo's rewards, tpo's target. */
import { describe, expect, it } from 'vitest';
import { type Completion, gradientsOf, groupBy, lossOf, slopesOf, surrogateOf } from '../../support/losses.ts';

function expectClose(actual: readonly number[], expected: readonly number[], digits = 6): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, i) => expect(value).toBeCloseTo(expected[i], digits));
}

describe('nft', () => {
  /** One right answer of four: A = √3, and −1/√3 of the wrong ones. */
  const [solved, right, wrong] = [1 / 4, Math.sqrt(3), -Math.sqrt(1 / 3)];
  const slopeAt = (advantage: number, ratio: number, floor = 0.1): number => {
    const [logRatio, logprob] = [Math.log(ratio), -1];
    return surrogateOf('nft', { nft_floor: floor })({ logRatio, logprob, oldLogprob: logprob - logRatio, advantage })
      .logprobSlope;
  };

  it('has the derivatives of the likelihoods of the paper, by the share of right answers', () => {
    const weight = Math.sqrt((1 - solved) / solved);
    const implied = (ratio: number): number => -weight * Math.log((1 - solved * ratio) / (1 - solved));
    for (const ratio of [0.2, 0.9, 1, 1.7, 3]) {
      const [up, down] = [implied(ratio * Math.exp(1e-6)), implied(ratio * Math.exp(-1e-6))];
      expect(slopeAt(wrong, ratio)).toBeCloseTo((up - down) / 2e-6, 6);
      expect(slopeAt(right, ratio)).toBeCloseTo(-weight, 12);
    }
  });

  it('lets the gradient through at the floor', () => {
    expect(slopeAt(wrong, 2, 1)).toBeCloseTo(2 / Math.sqrt(3), 12);
    expect(slopeAt(wrong, 8, 0.5)).toBeCloseTo(8 / Math.sqrt(3) / 0.5, 12);
  });
});

const GROUP: readonly Completion[] = [
  { logprobs: [-1, -2], advantage: 1.5, coefficient: 1 / 6 },
  { logprobs: [-3], advantage: -0.5, coefficient: 1 / 3 },
  { logprobs: [-1, -1, -2], advantage: -1, coefficient: 1 / 9 },
];
/** Each completion after its log-prob has moved, all of it at the first token. */
const moved = (by: readonly number[]) =>
  groupBy(
    GROUP.map((one, i) => ({ ...one, oldLogprobs: one.logprobs.map((value, t) => (t === 0 ? value - by[i] : value)) })),
  );

describe('gvpo', () => {
  const line = 'objective: {name: gvpo, gvpo_beta: 0.5}';

  it('has the gradient of the advantages where nothing has moved, at every token of a completion', () => {
    const [first, second, third] = GROUP.map(({ advantage = 0 }) => -advantage / 3);
    expectClose(slopesOf(gradientsOf(moved([0, 0, 0]), line)), [first, first, second, third, third, third]);
  });

  it('is at rest where the policy implies the rewards, up to what all of a group have in common', () => {
    const still = gradientsOf(moved(GROUP.map(({ advantage = 0 }) => 7 + advantage / 0.5)), line);
    expectClose([lossOf(still), ...slopesOf(still)], [0, 0, 0, 0, 0, 0, 0], 5);
  });

  it('is the mean of the squared differences otherwise', () => {
    const by = [1, 0, -0.4];
    const errors = GROUP.map(({ advantage = 0 }, i) => 0.5 * (by[i] - 0.2) - advantage);
    const expected = errors.reduce((sum, error) => sum + error ** 2 / 3, 0);
    expect(lossOf(gradientsOf(moved(by), line))).toBeCloseTo(expected, 6);
  });

  it('compares with the reference by the token, if asked to: FlowRL with the mean of the group', () => {
    const given = moved([0, 0, 0]).map((sequence, i) => ({
      ...sequence,
      refLogprobs: sequence.logprobs.map((value) => value - (GROUP[i].advantage ?? 0) / 0.5),
    }));
    const flow = 'objective: {name: gvpo, gvpo_beta: 0.5, gvpo_from: reference, gvpo_by: mean}';
    expectClose(slopesOf(gradientsOf(given, flow)), [0, 0, 0, 0, 0, 0]);
  });
});

describe('tpo', () => {
  const line = 'objective: {name: tpo, tpo_temperature: 0.5}';
  const shares = (logits: readonly number[]): number[] => {
    const parts = logits.map(Math.exp);
    return parts.map((part) => part / parts.reduce((sum, x) => sum + x, 0));
  };

  it("has the gradient p − q of the group's log-probs", () => {
    const sums = [-3, -3, -4];
    const p = shares(sums);
    const q = shares(sums.map((sum, i) => sum + (GROUP[i].advantage ?? 0) / 0.5));
    const [first, second, third] = p.map((share, i) => share - q[i]);
    const gradients = gradientsOf(moved([0, 0, 0]), line);
    expectClose(slopesOf(gradients), [first, first, second, third, third, third]);
    expect(lossOf(gradients)).toBeCloseTo(
      p.reduce((sum, share, i) => sum - q[i] * Math.log(share), 0),
      6,
    );
  });

  it('is at rest once the policy has the shares of the target', () => {
    const there = gradientsOf(moved(GROUP.map(({ advantage = 0 }) => 2 + advantage / 0.5)), line);
    expectClose(slopesOf(there), [0, 0, 0, 0, 0, 0]);
  });
});
