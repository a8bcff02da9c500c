/** What every shaper shares: each advantage once, of completions and of tokens; dead groups and null rewards as they are. */
import { describe, expect, it } from 'vitest';
import { mapAdvantages } from '../../../packages/zoo/methods/support/credit/map_advantages.ts';
import { advantagesByToken, hasAdvantage } from '../../../src/methods/support/credit/map_advantages.ts';
import { advantagesOf, creditedGroup, groupOfAdvantages, tokenAdvantagesOf } from '../../support/credit.ts';

const plusOne = (advantage: number): number => advantage + 1;

describe('mapped advantages', () => {
  it('are those of completions, and of tokens where credit differs by token', () => {
    const group = creditedGroup([
      { advantage: 1, byToken: [1, 0, -2] },
      { advantage: -1, byToken: [3] },
    ]);
    const [mapped] = mapAdvantages([group], plusOne);
    expect(advantagesOf([mapped])).toEqual([[2, 0]]);
    expect(tokenAdvantagesOf(mapped)).toEqual([[2, 1, -1], [4]]);
    expect(tokenAdvantagesOf(group)).toEqual([[1, 0, -2], [3]]);
    expect(mapAdvantages([groupOfAdvantages(1)], plusOne)[0].tokenAdvantages).toBeUndefined();
  });

  it('stay in a dead group, and where a reward does not count', () => {
    const dead = creditedGroup([{ advantage: 0 }], { dead: true });
    const partly = creditedGroup([
      { advantage: 0, reward: null, byToken: [0] },
      { advantage: 0, inBaseline: false, byToken: [0] },
      { advantage: 1, byToken: [1] },
    ]);
    const [first, second] = mapAdvantages([dead, partly], plusOne);
    expect(first).toBe(dead);
    expect(advantagesOf([second])).toEqual([[0, 0, 2]]);
    expect(tokenAdvantagesOf(second)).toEqual([[0], [0], [2]]);
  });

  it('know their completion and their group', () => {
    const groups = [groupOfAdvantages(1, 2), groupOfAdvantages(3)];
    const seen: boolean[] = [];
    mapAdvantages(groups, (advantage, rollout, group) => {
      seen.push(groups.includes(group) && group.rollouts[group.advantages.indexOf(advantage)] === rollout);
      return advantage;
    });
    expect(seen).toEqual([true, true, true]);
  });
});

it('an advantage of a completion is that of each of its tokens', () => {
  const group = creditedGroup([{ advantage: 2, length: 3 }]);
  expect([...advantagesByToken(group, 0)]).toEqual([2, 2, 2]);
  expect([...advantagesByToken(creditedGroup([{ advantage: 2, byToken: [1, 0] }]), 0)]).toEqual([1, 0]);
});

it('a group has none where all are 0; by token, those of completions say nothing', () => {
  expect(hasAdvantage(groupOfAdvantages(0, 0))).toBe(false);
  expect(hasAdvantage(groupOfAdvantages(0, -1))).toBe(true);
  expect(hasAdvantage(creditedGroup([{ advantage: 1, byToken: [0, 0] }]))).toBe(false);
  expect(hasAdvantage(creditedGroup([{ advantage: 0, byToken: [0, 1] }]))).toBe(true);
});
