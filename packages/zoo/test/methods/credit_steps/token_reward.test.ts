/** Rewards of single tokens: returns, and steps of a verdict beside the outcome. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenStep } from '../../../../../src/methods/records.ts';
import { addTokenCredit, returnsToGo } from '../../../../../src/methods/support/credit/token_returns.ts';
import { creditedGroup, creditStep, type GivenRollout, tokenAdvantagesOf } from '../../../../../test/support/credit.ts';

const rewardsOfTokens = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 1, maxLength: 12 });

describe('returns to go', () => {
  it('at a discount of 1 are what is still to come, at 0 the rewards themselves', () => {
    expect([...returnsToGo([1, 2, 3], 1)]).toEqual([6, 5, 3]);
    expect([...returnsToGo([1, 2, 3], 0)]).toEqual([1, 2, 3]);
    expect([...returnsToGo([], 1)]).toEqual([]);
  });

  it('are the sum that defines them', () => {
    fc.assert(
      fc.property(rewardsOfTokens, fc.double({ min: 0, max: 1, noNaN: true }), (rewards, discount) => {
        const returns = returnsToGo(rewards, discount);
        rewards.forEach((_, t) => {
          const sum = rewards.slice(t).reduce((total, reward, later) => total + discount ** later * reward, 0);
          expect(returns[t]).toBeCloseTo(sum, 9);
        });
      }),
    );
  });
});

/** A completion of six tokens with two steps. */
const solution = (scores: readonly [number, number], more: Partial<GivenRollout> = {}): GivenRollout => ({
  length: 6,
  steps: [
    { from: 0, to: 2, score: scores[0] },
    { from: 3, to: 5, score: scores[1] },
  ] satisfies TokenStep[],
  ...more,
});

describe('token-reward', () => {
  const apply = (group: ReturnType<typeof creditedGroup>, options = {}) =>
    creditStep('token-reward', options).apply([group])[0];

  it('adds what the steps earn from each token on; tokens behind the last earn nothing', () => {
    const made = apply(creditedGroup([solution([1, 0], { advantage: 2 }), solution([1, 1], { advantage: -2 })]));
    expect(tokenAdvantagesOf(made)).toEqual([
      [2, 2, 1.5, 1.5, 1.5, 2],
      [-1, -1, -1.5, -1.5, -1.5, -2],
    ]);
  });

  it('adds to the advantages of tokens that there are', () => {
    const made = apply(creditedGroup([solution([1, 1], { byToken: [1, 0, 0, 0, 0, 5] })]), { token_reward_weight: 2 });
    expect(tokenAdvantagesOf(made)).toEqual([[3, 2, 1, 1, 1, 5]]);
  });

  it('discounts by the token', () => {
    const made = apply(creditedGroup([solution([0.5, 1])]), { token_discount: 0.5 });
    expect(tokenAdvantagesOf(made)).toEqual([[0.03125, 0.0625, 0.125, 0.25, 0.5, 0]]);
  });

  it('is off at a weight of 0, where no completion has steps, and where every step is at the baseline', () => {
    const given = creditedGroup([solution([1, 0], { advantage: 1 })]);
    expect(apply(given, { token_reward_weight: 0 })).toBe(given);
    const without = creditedGroup([{ advantage: 1 }]);
    expect(apply(without)).toBe(without);
    const level = creditedGroup([solution([0.5, 0.5], { advantage: 1 })]);
    expect(tokenAdvantagesOf(apply(level))).toEqual([new Array(6).fill(1)]);
  });

  it('brings a group of equal rewards to life, unless its steps say nothing', () => {
    const alike = (scores: readonly [number, number]) => creditedGroup([solution(scores)], { dead: true });
    expect(apply(alike([1, 0])).dead).toBe(false);
    expect(apply(alike([0.5, 0.5])).dead).toBe(true);
    const members = [solution([1, 0], { reward: 0 }), solution([1, 0], { reward: 1 })];
    expect(apply(creditedGroup(members, { dead: true })).dead).toBe(true); // by the word of a group step
  });

  it('leaves completions alone whose reward does not count', () => {
    const made = apply(creditedGroup([solution([1, 1], { reward: null }), solution([1, 1])]));
    expect(tokenAdvantagesOf(made)[0]).toEqual([0, 0, 0, 0, 0, 0]);
    expect(tokenAdvantagesOf(made)[1][0]).toBe(1);
  });

  it('of any other rewards is done in the same way', () => {
    const [made] = addTokenCredit([creditedGroup([{ advantage: 1, length: 3 }])], ({ tokens }) =>
      returnsToGo(
        [...tokens].map(() => -0.5),
        1,
      ),
    );
    expect(tokenAdvantagesOf(made)).toEqual([[-0.5, 0, 0.5]]);
  });
});
