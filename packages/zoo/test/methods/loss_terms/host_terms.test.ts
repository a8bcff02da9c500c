/** Terms beside the policy's own: the KL by each estimator, the distance to the sampler, the bound on it, likelihood. */
import { describe, expect, it } from 'vitest';
import type { LossGradient, LossSequence } from '../../../../../src/methods/points.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { type Completion, gradientsOf, groupBy, lossOf, slopesOf } from '../../support/losses.ts';

/** What a line adds to a stage whose policy term is 0: no advantage. */
const termOf = (given: readonly LossSequence[], ...lines: readonly string[]): LossGradient[] =>
  gradientsOf(
    given.map((sequence) => ({ ...sequence, advantages: sequence.advantages.map(() => 0) })),
    ...lines,
  );

describe('the KL to the reference', () => {
  const x = [0.5, -0.3, 0];
  const given = groupBy([{ logprobs: [-1, -2, -3], advantage: 0 }]).map((sequence) => ({
    ...sequence,
    refLogprobs: sequence.logprobs.map((logprob, t) => logprob + x[t]),
  }));
  const k3 = x.map((d) => Math.exp(d) - d - 1);
  const k2 = x.map((d) => (d * d) / 2);

  it.each([
    ['k3', k3, x.map((d) => 1 - Math.exp(d))],
    ['k2', k2, x.map((d) => -d)],
    ['k3+', k3, x.map((d) => -d)],
  ] as const)('by %s', (estimator, values, slopes) => {
    const lines = ['beta: 0.5', `kl_estimator: ${estimator}`, 'use_bias_correction_kl: false'];
    const gradients = gradientsOf(given, ...lines);
    values.forEach((value, t) => expect(gradients[0].losses[t]).toBeCloseTo(0.5 * value, 6));
    slopes.forEach((slope, t) => expect(gradients[0].dLogprobs[t]).toBeCloseTo(0.5 * slope, 6));
  });

  it('by k1 is refused, with the reason', () => {
    expect(() => stageOf('beta: 0.5', 'kl_estimator: k1')).toThrow(
      /k1.* as a loss its gradient is 0 on average.*use k2/,
    );
  });

  it('is 0 where the policy is the reference', () => {
    const same = given.map((sequence) => ({ ...sequence, refLogprobs: sequence.logprobs }));
    for (const estimator of ['k3', 'k2', 'k3+']) {
      const gradients = gradientsOf(same, 'beta: 0.5', `kl_estimator: ${estimator}`);
      for (const value of [...slopesOf(gradients), lossOf(gradients)]) expect(Math.abs(value)).toBe(0);
    }
  });

  it('counts a token as no further away than kl_clamp, and pulls it back as from there', () => {
    const far = given.map((sequence) => ({
      ...sequence,
      refLogprobs: sequence.logprobs.map((logprob, t) => logprob + [900, -900, 0.5][t]),
    }));
    const lines = ['beta: 1', 'use_bias_correction_kl: false', 'kl_clamp: 10'];
    const [{ losses, dLogprobs }] = gradientsOf(far, ...lines);
    const expected = [10, -10, 0.5];
    expected.forEach((d, t) => {
      expect(losses[t] / (Math.exp(d) - d - 1)).toBeCloseTo(1, 6);
      expect(dLogprobs[t] / (1 - Math.exp(d))).toBeCloseTo(1, 6);
    });
  });
});

describe('difficulty-beta', () => {
  const line = (options: string): string => `loss_terms: [{name: difficulty-beta${options}}]`;
  /** Four completions of two tokens; the first `right` of them are right. */
  const groupWith = (right: number) =>
    groupBy([0, 1, 2, 3].map((i): Completion => ({ logprobs: [-1, -2], advantage: 0, reward: i < right ? 1 : 0 }))).map(
      (sequence) => ({ ...sequence, refLogprobs: sequence.logprobs.map((logprob, t) => logprob + [0.5, -0.3][t]) }),
    );

  it('with equal weights is kl-loss without its correction', () => {
    const alike = line(', hard_beta: 0.5, middle_beta: 0.5, easy_beta: 0.5');
    for (const right of [0, 2, 4]) {
      const plain = termOf(groupWith(right), 'beta: 0.5', 'use_bias_correction_kl: false');
      expect(slopesOf(termOf(groupWith(right), alike))).toEqual(slopesOf(plain));
      expect(lossOf(termOf(groupWith(right), alike))).toBeCloseTo(lossOf(plain), 12);
    }
  });

  it('weighs by the share of the group that is right', () => {
    const bands = line(', hard_beta: 1, middle_beta: 10, easy_beta: 100, solved_reward: 1');
    const [hard, middle, easy] = [1, 2, 4].map((right) => lossOf(termOf(groupWith(right), bands)));
    expect(middle / hard).toBeCloseTo(10, 9);
    expect(easy / hard).toBeCloseTo(100, 9);
  });

  it('has the derivative of its loss, by differences', () => {
    const slope = (d: number): number =>
      lossOf(
        termOf(
          groupWith(2).map((sequence) => ({ ...sequence, logprobs: sequence.logprobs.map((logprob) => logprob + d) })),
          line(''),
        ),
      );
    const expected = slopesOf(termOf(groupWith(2), line(''))).reduce((sum, one) => sum + one, 0);
    expect((slope(0.01) - slope(-0.01)) / 0.02 / expected).toBeCloseTo(1, 3); // log-probs are of single precision
  });
});

describe('kl-sampler', () => {
  it('is the square of the distance to what was sampled from, which top-p moves', () => {
    const given = groupBy([{ logprobs: [-1, -2], oldLogprobs: [-1.5, -2] }]);
    given[0].rollout.keptLogMass[1] = -0.25;
    const [{ losses, dLogprobs }] = termOf(given, 'loss_terms: [{name: kl-sampler, kl_tau: 0.1}]');
    [0.5, -0.25].forEach((distance, t) => {
      expect(losses[t]).toBeCloseTo(0.1 * distance ** 2, 9);
      expect(dLogprobs[t]).toBeCloseTo(0.2 * distance, 9);
    });
  });
});

describe('hinge-kl', () => {
  const line = 'loss_terms: [{name: hinge-kl, hinge_beta: 10, hinge_delta: 0.05}]';
  const moved = (by: readonly number[]) =>
    groupBy([{ logprobs: by.map((move) => -1 + move), oldLogprobs: by.map(() => -1) }, { logprobs: [-2] }]);
  const klOf = (by: readonly number[]): number =>
    by.reduce((sum, move) => sum + Math.exp(move) - move - 1, 0) / (by.length + 1);

  it('does nothing while the policy stays within the bound', () => {
    const near = [0.2, -0.2];
    expect(klOf(near)).toBeLessThan(0.05);
    expect(slopesOf(termOf(moved(near), line)).every((slope) => slope === 0)).toBe(true);
  });

  it('weighs the KL of the whole step by its excess', () => {
    const far = [1, -1];
    const weight = 10 * (klOf(far) - 0.05);
    const gradients = termOf(moved(far), line);
    expect(lossOf(gradients)).toBeCloseTo(weight * klOf(far), 6);
    far.forEach((move, t) => {
      expect(gradients[0].dLogprobs[t]).toBeCloseTo((weight * Math.expm1(move)) / 3, 6);
    });
  });
});

describe('likelihood', () => {
  const answers: readonly Completion[] = [
    { logprobs: [-1, -2], reward: 1, advantage: -1, coefficient: 0.25 },
    { logprobs: [-3, -1], reward: 0, advantage: 1, coefficient: 0.5 },
    { logprobs: [-1], reward: 1, advantage: 1, coefficient: 0.125 },
  ];
  const beside = (line: string): readonly number[] => {
    const given = groupBy(answers);
    const [all, plain] = [slopesOf(gradientsOf(given, line)), slopesOf(gradientsOf(given))];
    return all.map((slope, i) => slope - plain[i]);
  };

  it.each([
    ['correct', [-0.25, -0.25, 0, 0, -0.125]],
    ['positive', [0, 0, -0.5, -0.5, -0.125]],
    ['all', [-0.25, -0.25, -0.5, -0.5, -0.125]],
  ])('of %s completions, by the aggregation', (choice, expected) => {
    beside(`loss_terms: [{name: sft-nll, nll_coef: 2, nll_on: ${choice}}]`).forEach((slope, i) =>
      expect(slope).toBeCloseTo(2 * expected[i], 12),
    );
  });

  it('by the weights that credit steps gave', () => {
    const given = groupBy(answers);
    const tokenWeights = [Float32Array.of(0.5, 2), Float32Array.of(1, 1), Float32Array.of(3)];
    const weighed = given.map((sequence) => Object.assign(sequence, { group: { ...sequence.group, tokenWeights } }));
    const line = 'loss_terms: [{name: sft-nll, nll_coef: 1, nll_weights: true}]';
    expect(slopesOf(termOf(weighed, line)).map((slope) => slope || 0)).toEqual([-0.125, -0.5, 0, 0, -0.375]);
  });

  it('of all correct completions of the step, averaged over their tokens', () => {
    const expected = [-1, -1, 0, 0, -1].map((slope) => (0.6 * slope) / 3);
    beside('loss_terms: [{name: positive-nll, positive_nll_coef: 0.6}]').forEach((slope, i) =>
      expect(slope).toBeCloseTo(expected[i], 12),
    );
  });
});
