/** Estimators that compare nothing: the sign of an advantage is whether the problem was solved. */
import { describe, expect, it } from 'vitest';
import { groupOf, groupOfRewards, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { estimatorOf, expectAll } from '../../support/advantages.ts';

describe('w-reinforce', () => {
  it('pays solved completions a little, and takes 1 for the others, in a group that fails altogether too', () => {
    const { part, ofRewards } = estimatorOf('w-reinforce');
    expectAll(ofRewards([1, 0, 0.5], [0, 0, 0]).flat(), [0.1, -1, -1, -1, -1, -1]);
    for (const rewards of [
      [0, 0, 0],
      [1, 1, 1],
    ]) {
      expect(part.isDead?.(groupOfRewards([2, 2, 2], rewards))).toBe(false);
    }
  });

  it('is REINFORCE of ±1 at weight 1, and nsr at weight 0', () => {
    const given = [1, 0, 1, 0, 0];
    expect(estimatorOf('{name: w-reinforce, solved_weight: 1}').ofRewards(given)[0]).toEqual(
      given.map((reward) => 2 * reward - 1),
    );
    expect(estimatorOf('{name: w-reinforce, solved_weight: 0}').ofRewards(given)).toEqual(
      estimatorOf('nsr').ofRewards(given),
    );
  });

  it('asks the verdict, not the reward, unless it is given a least reward', () => {
    const verdict = { score: 1, status: 'correct', reason: '' } as const;
    const short = { ...rolloutOf(1, 0.4), verdict };
    const given = groupOf([short, rolloutOf(1, 0.9)]);
    expectAll(estimatorOf('w-reinforce').advantages([given])[0], [0.1, -1]);
    expectAll(estimatorOf('{name: w-reinforce, solved_reward: 0.5}').advantages([given])[0], [-1, 0.1]);
  });

  it('leaves out completions without a reward, and those that do not count', () => {
    const uncounted = { ...rolloutOf(1, 0), inBaseline: false } as const;
    const { part, advantages } = estimatorOf('w-reinforce');
    expectAll(advantages([groupOf([rolloutOf(1, null), uncounted, rolloutOf(1, 0)])])[0], [0, 0, -1]);
    expect(part.isDead?.(groupOf([rolloutOf(1, null), uncounted]))).toBe(true);
  });
});

describe('nsr and psr', () => {
  it('learn from one side alone', () => {
    expect(estimatorOf('nsr').ofRewards([1, 0, 1])).toEqual([[0, -1, 0]]);
    expect(estimatorOf('psr').ofRewards([1, 0, 0.5])).toEqual([[1, 0, 0.5]]);
  });

  it('call a group dead where that side is empty, and no other', () => {
    const isDead = (written: string, rewards: readonly number[]) =>
      estimatorOf(written).part.isDead?.(groupOfRewards([1, 1], rewards));
    expect([isDead('nsr', [1, 1]), isDead('nsr', [0, 0]), isDead('nsr', [1, 0])]).toEqual([true, false, false]);
    expect([isDead('psr', [1, 1]), isDead('psr', [0, 0]), isDead('psr', [1, 0])]).toEqual([false, true, false]);
  });
});
