/** Shapers by the sign of an advantage: pos-weight, sample-sign, neg-scale-success. */
import { describe, expect, it } from 'vitest';
import {
  advantagesOf,
  creditedGroup,
  creditStep,
  groupOfAdvantages,
  tokenAdvantagesOf,
} from '../../../../../test/support/credit.ts';

const groups = [groupOfAdvantages(2, -1, 0), creditedGroup([{ advantage: 1, byToken: [4, -2, 0] }])];

describe('pos-weight', () => {
  it('multiplies what is above 0 alone', () => {
    const [first, second] = creditStep('pos-weight', { positive_weight: 0.5 }).apply(groups);
    expect(advantagesOf([first])).toEqual([[1, -1, 0]]);
    expect(tokenAdvantagesOf(second)).toEqual([[2, -2, 0]]);
  });

  it('is the identity at 1, and learns from failures alone at 0', () => {
    expect(creditStep('pos-weight', { positive_weight: 1 }).apply(groups)).toEqual(groups);
    const negative = creditStep('sample-sign', { kept_sign: 'negative' }).apply(groups);
    expect(creditStep('pos-weight', { positive_weight: 0 }).apply(groups)).toEqual(negative);
  });
});

describe('sample-sign', () => {
  it.each([
    ['all', [2, -1, 0], [4, -2, 0]],
    ['negative', [0, -1, 0], [0, -2, 0]],
    ['positive', [2, 0, 0], [4, 0, 0]],
  ])('keeps %s', (kept_sign, byCompletion, byToken) => {
    const [first, second] = creditStep('sample-sign', { kept_sign }).apply(groups);
    expect(advantagesOf([first])).toEqual([byCompletion]);
    expect(tokenAdvantagesOf(second)).toEqual([byToken]);
  });

  it('of both signs, one after the other, adds up to all', () => {
    const [negative, positive] = ['negative', 'positive'].map((kept_sign) =>
      advantagesOf(creditStep('sample-sign', { kept_sign }).apply(groups)),
    );
    expect(negative.map((own, g) => own.map((value, i) => value + positive[g][i]))).toEqual(advantagesOf(groups));
  });
});

describe('neg-scale-success', () => {
  /** Of four completions, so many right. */
  const group = (right: number) =>
    creditedGroup([0, 1, 2, 3].map((i) => ({ reward: i < right ? 1 : 0, advantage: i < right ? 1 : -1 })));
  const scaleAt = (right: number, options = {}): number => {
    const [[own]] = [creditStep('neg-scale-success', options).apply([group(right)])];
    expect([...own.advantages].slice(0, right)).toEqual(new Array(right).fill(1));
    return -own.advantages[3];
  };

  it('halves punishment where nothing succeeds, and is a no-op from p̂ = 1/3 on', () => {
    expect([0, 1, 2, 3].map((right) => scaleAt(right))).toEqual([0.5, 0.875, 1, 1]);
    const third = creditedGroup([
      { reward: 1, advantage: 1 },
      { reward: 0, advantage: -1 },
      { reward: 0, advantage: -1 },
    ]);
    expect(creditStep('neg-scale-success').apply([third])).toEqual([third]);
  });

  it('never turns a punishment round, and is the identity at 1', () => {
    expect(scaleAt(3, { unsolved_scale: 0.5, solved_slope: 100 })).toBe(1);
    expect(scaleAt(0, { unsolved_scale: 0 })).toBeCloseTo(0, 12);
    expect(scaleAt(1, { unsolved_scale: 1, solved_slope: 0 })).toBe(1);
  });

  it('goes by rewards, not by verdicts, where it is told what solves', () => {
    const graded = creditedGroup([
      { reward: 0.6, advantage: 1, verdict: { score: 0, status: 'incorrect', reason: '' } },
      { reward: 0.1, advantage: -1 },
    ]);
    const told: readonly Readonly<Record<string, number>>[] = [{}, { solved_reward: 0.5 }];
    const [byVerdict, byReward] = told.map((options) =>
      advantagesOf(creditStep('neg-scale-success', options).apply([graded])),
    );
    expect(byVerdict).toEqual([[1, -0.5]]);
    expect(byReward).toEqual([[1, -1]]);
  });

  it('counts the completions whose reward counts', () => {
    const [own] = creditStep('neg-scale-success').apply([
      creditedGroup([{ reward: 0, advantage: -1 }, { reward: null }, { reward: 1, inBaseline: false }]),
    ]);
    expect([...own.advantages]).toEqual([-0.5, 0, 0]);
  });
});
