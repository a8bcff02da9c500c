/** Shapers by how sure the policy was: confidence, self-certainty. */
import { describe, expect, it } from 'vitest';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import {
  advantagesOf,
  creditedGroup,
  creditStep,
  type GivenRollout,
  tokenAdvantagesOf,
} from '../../../../../test/support/credit.ts';
import { certaintyOf, scoresAmong } from '../../../methods/support/credit/certainty.ts';
import { uniformKl } from '../../../methods/uses/uniform_kl.ts';

/** Two tokens of these divergences, and of log-probs that are 0 unless they are given. */
const sure = (advantage: number, nats: readonly number[], more: Partial<GivenRollout> = {}): GivenRollout => ({
  length: nats.length,
  advantage,
  figures: { uniformKl: Float32Array.from(nats) },
  ...more,
});

/** Of certainties 1 and 3: ĉ is −1/√2 and 1/√2, up to the 1e-4. */
const z = 1 / (Math.SQRT2 + 1e-4);
const group = creditedGroup([sure(1, [0.5, 0.5]), sure(-1, [1, 2])]);

const OFF = { right_certainty: 0, wrong_certainty: 0, logit_penalty: 0 };

describe('the certainty of a completion', () => {
  it('is over the tokens that carry a loss', () => {
    const [rollout] = creditedGroup([sure(1, [9, 1, 2], { labels: Uint8Array.of(TOKEN.given, 0, 0) })]).rollouts;
    expect([certaintyOf(rollout, 'sum'), certaintyOf(rollout, 'mean')]).toEqual([3, 1.5]);
    expect(certaintyOf({ ...rollout, inLoss: false }, 'sum')).toBeUndefined();
  });

  it('is compared with the others that have one; equal ones differ by exactly nothing', () => {
    expect(scoresAmong([0.7, undefined, 0.7, 0.7])).toEqual([0, 0, 0, 0]);
    expect(scoresAmong([1, undefined, 3])).toEqual([-z, 0, z]);
    expect(scoresAmong([])).toEqual([]);
  });

  it('must be asked for', () => {
    const without = creditedGroup([{ advantage: 1, figures: {} }]);
    expect(() => creditStep('confidence').apply([without])).toThrow(/uses/);
  });
});

describe('confidence', () => {
  it('is the identity where its coefficients are 0', () => {
    expect(creditStep('confidence', OFF).apply([group])).toEqual([group]);
  });

  it('rewards less what was sure, and punishes it more', () => {
    const [[right, wrong]] = advantagesOf(creditStep('confidence', { logit_penalty: 0 }).apply([group]));
    expect(right).toBeCloseTo(Math.exp(0.25 * z), 6);
    expect(wrong).toBeCloseTo(-Math.exp(0.35 * z), 6);
    const swapped = creditedGroup([sure(1, [1, 2]), sure(-1, [0.5, 0.5])]);
    const [[sureRight, unsureWrong]] = advantagesOf(creditStep('confidence', { logit_penalty: 0 }).apply([swapped]));
    expect(sureRight).toBeCloseTo(Math.exp(-0.25 * z), 6);
    expect(unsureWrong).toBeCloseTo(-Math.exp(-0.35 * z), 6);
  });

  it('by the mean of a completion does not count its tokens', () => {
    const long = creditedGroup([sure(1, [1, 1, 1, 1]), sure(-1, [1])]);
    expect(advantagesOf(creditStep('confidence', { logit_penalty: 0, certainty_over: 'mean' }).apply([long]))).toEqual([
      [1, -1],
    ]);
    const [[right]] = advantagesOf(creditStep('confidence', { logit_penalty: 0 }).apply([long]));
    expect(right).toBeLessThan(1);
  });

  it('takes by the logit of each token within its completion, and turns no reward into a punishment', () => {
    const logprobs = Float32Array.of(-2, -1, 0);
    const one = creditedGroup([sure(0.03, [1, 1, 1], { logprobs }), sure(-1, [0, 0, 2], { logprobs })]);
    const made = creditStep('confidence', { ...OFF, logit_penalty: 0.05 }).apply([one]);
    const [right, wrong] = tokenAdvantagesOf(made[0]);
    [0.03, 0.005, 0].forEach((value, t) => expect(right[t]).toBeCloseTo(value, 6));
    [-1, -1.0125, -1.05].forEach((value, t) => expect(wrong[t]).toBeCloseTo(value, 6));
  });

  it('acts on the sign of each token where credit differs by token', () => {
    const both = creditedGroup([sure(0, [2, 2], { byToken: [1, -1] }), sure(0, [1, 1], { byToken: [1, -1] })]);
    const [[first, second]] = [tokenAdvantagesOf(creditStep('confidence', { logit_penalty: 0 }).apply([both])[0])];
    expect(first[0]).toBeCloseTo(Math.exp(-0.25 * z), 5);
    expect(first[1]).toBeCloseTo(-Math.exp(0.35 * z), 5);
    expect(second[0]).toBeCloseTo(Math.exp(0.25 * z), 5);
  });

  it('asks for a scoring pass only where it acts', () => {
    expect(creditStep('confidence').uses.figures).toEqual([uniformKl]);
    expect(creditStep('confidence', OFF).uses.figures).toEqual([]);
  });
});

describe('self-certainty', () => {
  it('puts the score of the mean divergence in the place of the advantage', () => {
    const [made] = creditStep('self-certainty').apply([group]);
    expect(made.advantages[0]).toBeCloseTo(-1 / (Math.SQRT1_2 + 1e-4) / 2, 5);
    expect(made.advantages[1]).toBeCloseTo(1 / (Math.SQRT1_2 + 1e-4) / 2, 5);
  });

  it('is the identity at a weight of 0 beside the outcome, and adds to it otherwise', () => {
    expect(creditStep('self-certainty', { certainty_weight: 0, outcome_weight: 1 }).apply([group])).toEqual([group]);
    const alone = advantagesOf(creditStep('self-certainty').apply([group]))[0];
    const beside = creditStep('self-certainty', { outcome_weight: 2, certainty_weight: 0.5 }).apply([group])[0];
    beside.advantages.forEach((value, i) => expect(value).toBeCloseTo(2 * [1, -1][i] + 0.5 * alone[i], 5));
    const byToken = creditedGroup([sure(1, [0.5, 0.5], { byToken: [1, 3] }), sure(-1, [1, 2], { byToken: [0, -1] })]);
    const [tokens] = creditStep('self-certainty', { outcome_weight: 1 }).apply([byToken]);
    [1 + alone[0], 3 + alone[0]].forEach((value, t) => expect(tokens.tokenAdvantages?.[0][t]).toBeCloseTo(value, 5));
  });

  it('needs no label: a group of equal rewards learns, unless it is as sure of all', () => {
    const alike = creditedGroup([sure(0, [1, 1]), sure(0, [2, 2])], { dead: true });
    const [made] = creditStep('self-certainty').apply([alike]);
    expect(made.dead).toBe(false);
    expect(made.advantages[0]).toBe(-made.advantages[1]);
    const even = creditedGroup([sure(0, [1]), sure(0, [1])], { dead: true });
    expect(creditStep('self-certainty').apply([even])[0].dead).toBe(true);
    const dropped = creditedGroup([sure(0, [1], { reward: 0 }), sure(0, [2], { reward: 1 })], { dead: true });
    expect(creditStep('self-certainty').apply([dropped])).toEqual([dropped]);
  });
});
