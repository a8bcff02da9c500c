/** What is trained that the policy did not sample, or that it got right: p-div and rft. */
import { describe, expect, it } from 'vitest';
import type { LossSequence } from '../../../../../src/methods/points.ts';
import { randomSequences } from '../../../../../test/support/rollouts.ts';
import { gradientsOf, groupBy, lossOf } from '../../support/losses.ts';

const offPolicy = (sequences: readonly LossSequence[]): LossSequence[] =>
  sequences.map((sequence) => ({ ...sequence, rollout: { ...sequence.rollout, isOffPolicy: true } }));

describe('p-div', () => {
  it('pushes a token of an off-policy completion by A·pγ/(p + γ)², most where p = γ', () => {
    const probabilities = [0.001, 0.05, 0.1, 0.2, 0.9];
    const given = offPolicy(
      groupBy([{ logprobs: probabilities.map(Math.log), oldLogprobs: [0, 0, 0, 0, 0], advantage: 2 }]),
    );
    const [{ losses, dLogprobs }] = gradientsOf(given, 'objective: {name: p-div, p_div_gamma: 0.1}');
    probabilities.forEach((p, t) => {
      expect(losses[t]).toBeCloseTo((-2 * p) / (p + 0.1), 6);
      expect(dLogprobs[t]).toBeCloseTo((-2 * p * 0.1) / (p + 0.1) ** 2, 6);
    });
    expect(Math.min(...dLogprobs)).toBe(dLogprobs[2]);
  });

  it('is ppo-clip to the bit of what the policy sampled, whatever stands beside it', () => {
    const given = randomSequences(31, 8);
    const mixed = given.map((sequence, i) => (i % 2 === 0 ? sequence : offPolicy([sequence])[0]));
    const lines = ['epsilon_high: 0.28', 'importance_sampling_level: sequence'];
    const clipped = gradientsOf(given, ...lines);
    const shaped = gradientsOf(mixed, 'objective: p-div', ...lines);
    shaped.forEach((gradient, i) => {
      if (i % 2 === 0) expect(gradient).toEqual(clipped[i]);
      else expect(gradient).not.toEqual(clipped[i]);
    });
  });

  it('has the derivatives of its loss where completions are off-policy', () => {
    const given = offPolicy(randomSequences(32, 8));
    const gradients = gradientsOf(given, 'objective: p-div');
    const moved = (s: number, t: number, by: number): number =>
      lossOf(
        gradientsOf(
          given.map((one, i) =>
            i === s ? { ...one, logprobs: one.logprobs.map((x, at) => (at === t ? x + by : x)) } : one,
          ),
          'objective: p-div',
        ),
      );
    const step = 2 ** -12;
    gradients.forEach(({ dLogprobs }, s) => {
      dLogprobs.forEach((slope, t) => {
        expect((moved(s, t, step) - moved(s, t, -step)) / (2 * step)).toBeCloseTo(slope, 4);
      });
    });
  });
});

describe('rft', () => {
  it('is the mean log-likelihood of right completions, equal ones once, and exactly nothing of the others', () => {
    const given = groupBy([
      { logprobs: [-1, -2], reward: 1, advantage: 1 },
      { logprobs: [-3, -4, -5], reward: 0, advantage: -1 },
      { logprobs: [-1, -2], reward: 1, advantage: 1 },
      { logprobs: [-6], reward: 1, advantage: 0 },
    ]);
    const gradients = gradientsOf(given, 'objective: rft');
    expect(lossOf(gradients)).toBeCloseTo(9 / 3, 12);
    expect(gradients.map(({ dLogprobs }) => [...dLogprobs])).toEqual([[-1 / 3, -1 / 3], [0, 0, 0], [0, 0], [-1 / 3]]);
  });

  it('keeps the shortest right completion of a group alone, if asked to', () => {
    const given = groupBy([
      { logprobs: [-1, -2], reward: 1, advantage: 1 },
      { logprobs: [-3], reward: 0, advantage: -1 },
      { logprobs: [-4, -5], reward: 1, advantage: 1 },
      { logprobs: [-6, -7, -8], reward: 1, advantage: 1 },
    ]);
    const gradients = gradientsOf(given, 'objective: {name: rft, keep: shortest}');
    expect(lossOf(gradients)).toBeCloseTo(3 / 2, 12);
    expect(gradients.map(({ dLogprobs }) => [...dLogprobs])).toEqual([[-1 / 2, -1 / 2], [0], [0, 0], [0, 0, 0]]);
  });

  it('learns nothing where nothing is right', () => {
    const given = groupBy([{ logprobs: [-1], reward: 0, advantage: 1 }]);
    expect(gradientsOf(given, 'objective: rft')[0].dLogprobs[0]).toBe(0);
  });
});
