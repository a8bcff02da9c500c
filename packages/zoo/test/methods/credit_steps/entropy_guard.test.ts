import { describe, expect, it } from 'vitest';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { creditedGroup, creditStep, type GivenRollout } from '../../../../../test/support/credit.ts';

/** One completion of three tokens, the first two sure. */
const rollout = (advantage: number, entropy: number, more: Partial<GivenRollout> = {}): GivenRollout => ({
  length: 3,
  advantage,
  logprobs: Float32Array.of(0, -0.001, -1),
  entropies: new Float32Array(3).fill(entropy),
  ...more,
});

const weightsOf = (groups: ReturnType<ReturnType<typeof creditStep>['apply']>) =>
  groups.map(({ tokenWeights }) => tokenWeights?.map((own) => [...own]));

describe('entropy-guard', () => {
  it('masks sure tokens of positive advantage while the entropy is low', () => {
    const step = creditStep('entropy-guard');
    const made = step.apply([creditedGroup([rollout(1, 0.1), rollout(-1, 0.1)])]);
    expect(weightsOf(made)).toEqual([
      [
        [0, 0, 1],
        [1, 1, 1],
      ],
    ]);
    expect(step.logged).toEqual({ masked: 2 / 6 });
  });

  it('leaves the groups as they are, and the step to the kernel, where the entropy is not low or nothing is sure', () => {
    const high = [creditedGroup([rollout(1, 0.3)])];
    expect(creditStep('entropy-guard').apply(high)).toBe(high);
    const unsure = [creditedGroup([rollout(-1, 0.1)])];
    expect(creditStep('entropy-guard').apply(unsure)).toBe(unsure);
    expect(creditStep('entropy-guard').apply([])).toEqual([]);
  });

  it('goes by the mean over the tokens of the batch that carry a loss', () => {
    const masked = rollout(1, 9, { inLoss: false });
    const [guarded] = weightsOf(creditStep('entropy-guard').apply([creditedGroup([rollout(1, 0.1), masked])]));
    expect(guarded).toEqual([
      [0, 0, 1],
      [0, 0, 1],
    ]);
    const given = rollout(1, 0, { entropies: Float32Array.of(9, 0, 0), labels: Uint8Array.of(TOKEN.given, 0, 0) });
    expect(weightsOf(creditStep('entropy-guard').apply([creditedGroup([given])]))[0]).toBeDefined();
    const both = [creditedGroup([rollout(1, 0.1)]), creditedGroup([rollout(1, 0.9)])];
    expect(creditStep('entropy-guard').apply(both)).toBe(both);
  });

  it('reads advantages by token, and keeps weights of before', () => {
    const group = creditedGroup([rollout(1, 0.1, { byToken: [1, -1, 1] })], {
      tokenWeights: [Float32Array.of(2, 3, 4)],
    });
    expect(weightsOf(creditStep('entropy-guard').apply([group]))).toEqual([[[0, 3, 4]]]);
  });

  it('at a probability of 1 masks what is certain alone, and at an entropy of 0 nothing', () => {
    const certain = creditStep('entropy-guard', { sure_probability: 1 });
    expect(weightsOf(certain.apply([creditedGroup([rollout(1, 0.1)])]))).toEqual([[[0, 1, 1]]]);
    const off = [creditedGroup([rollout(1, 0)])];
    expect(creditStep('entropy-guard', { low_entropy: 0 }).apply(off)).toBe(off);
  });
});
