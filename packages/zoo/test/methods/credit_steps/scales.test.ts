/** Shapers by what a group is worth: informative-scale, difficulty-weight. */
import { describe, expect, it } from 'vitest';
import {
  advantagesOf,
  creditedGroup,
  creditStep,
  groupOfAdvantages,
  tokenAdvantagesOf,
} from '../../../../../test/support/credit.ts';

const live = groupOfAdvantages(1, -1);
const dead = creditedGroup([{ advantage: 0 }, { advantage: 0 }], { dead: true });

describe('informative-scale', () => {
  it('multiplies by groups over live groups, up to the cap', () => {
    const step = creditStep('informative-scale', { most_scale: 3 });
    expect(advantagesOf(step.apply([live, dead]))).toEqual([
      [2, -2],
      [0, 0],
    ]);
    expect(step.logged).toEqual({ scale: 2 });
    expect(advantagesOf(step.apply([live, dead, dead, dead]))[0]).toEqual([3, -3]);
  });

  it('keeps the sum of absolute advantages that a batch without dead groups would have', () => {
    const sumOf = (groups: readonly (typeof live)[]): number =>
      advantagesOf(creditStep('informative-scale').apply(groups))
        .flat()
        .reduce((sum, value) => sum + Math.abs(value), 0);
    expect(sumOf([live, dead, live])).toBeCloseTo(sumOf([live, live, live]), 6);
  });

  it('does nothing where all groups are live, where none is, or where the cap is 1', () => {
    for (const groups of [[live, live], [dead], []]) {
      expect(creditStep('informative-scale').apply(groups)).toBe(groups);
    }
    const capped = creditStep('informative-scale', { most_scale: 1 });
    expect(capped.apply([live, dead])).toEqual([live, dead]);
    expect(creditStep('informative-scale').apply([live, groupOfAdvantages(0)])[0].advantages[0]).toBe(2);
  });
});

describe('phase-scale', () => {
  it('multiplies the advantages of the first steps and no others', () => {
    const group = groupOfAdvantages(2, -1); // at step 3 of the stage
    expect(advantagesOf(creditStep('phase-scale', { phase_factor: 0.5, phase_steps: 4 }).apply([group]))[0]).toEqual([1, -0.5]); // biome-ignore format: one line
    const groups = [group];
    expect(creditStep('phase-scale', { phase_factor: 0.5, phase_steps: 3 }).apply(groups)).toBe(groups);
  });
});

describe('difficulty-weight', () => {
  const group = (right: number) =>
    creditedGroup([0, 1, 2, 3].map((i) => ({ reward: i < right ? 1 : 0, byToken: [i < right ? 1 : -1, 2] })));
  const factorAt = (right: number, options = {}): number => {
    const [own] = creditStep('difficulty-weight', options).apply([group(right)]);
    const [[first, second]] = tokenAdvantagesOf(own);
    expect(second).toBeCloseTo(2 * Math.abs(first), 6);
    return Math.abs(first);
  };

  it('runs through its three weights', () => {
    expect([0, 1, 2, 3, 4].map((right) => factorAt(right))).toEqual([1.5, 1.25, 1, 0.75, 0.5]);
    const weights = { hard_weight: 0, middle_weight: 2, easy_weight: 1 };
    expect([0, 1, 2, 3, 4].map((right) => factorAt(right, weights))).toEqual([0, 1, 2, 1.5, 1]);
  });

  it('is the identity where all are 1', () => {
    const ones = creditStep('difficulty-weight', { hard_weight: 1, middle_weight: 1, easy_weight: 1 });
    expect(ones.apply([group(1), live])).toEqual([group(1), live]);
  });
});
