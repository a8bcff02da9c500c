/** Estimators that compare completions two by two. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOfRewards } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { comparedWith } from '../../../methods/advantage_estimators/brpo.ts';
import { bracket, ranking } from '../../../methods/advantage_estimators/tournament.ts';
import { type Comparator, comparatorOf } from '../../../methods/support/credit/pairs.ts';
import { estimatorOf, expectAll } from '../../support/advantages.ts';

const compare = comparatorOf({ tieMargin: 0 });
const different = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 17 });

describe('brpo', () => {
  it('asks who is better than the one that was drawn, and not by how much', () => {
    expect(comparedWith(2, [1, 2, 9, 2, -40], compare)).toEqual([-1, 0, 1, 0, -1]);
    expect(comparedWith(2, [1.95, 2, 2.05, 3], comparatorOf({ tieMargin: 0.1 }))).toEqual([0, 0, 0, 1]);
  });

  it('gives nothing where all others compare alike; a draw is not like a win', () => {
    expect(comparedWith(0, [0, 1, 5], compare)).toEqual([0, 0, 0]);
    expect(comparedWith(0, [0, 0, 1], compare)).toEqual([0, 0, 1]);
  });

  it('draws each of a group, and the same one again in the same step', () => {
    const estimator = estimatorOf('brpo');
    const groups = Array.from({ length: 40 }, () => [1, 2, 3, 4]);
    const found = estimator.ofRewards(...groups);

    expect(estimator.ofRewards(...groups)).toEqual(found);
    expect(new Set(found.map(String))).toEqual(new Set(['0,0,0,0', '-1,0,1,1', '-1,-1,0,1']));
  });

  it('calls a group dead where no draw tells anything', () => {
    const isDead = (rewards: readonly number[]) =>
      estimatorOf('brpo').part.isDead?.(
        groupOfRewards(
          rewards.map(() => 1),
          rewards,
        ),
      );
    expect([isDead([1, 1, 1]), isDead([1, 0]), isDead([1, 0, 0]), isDead([])]).toEqual([true, true, false, true]);
    expect(() => stageOf('advantage_estimator: brpo', 'num_generations: 2')).toThrow(
      'raise num_generations to 3 or more',
    );
  });
});

describe('tournament', () => {
  it('meets on the standard bracket', () => {
    expect(bracket(8)).toEqual([0, 7, 3, 4, 1, 6, 2, 5]);
    expect(bracket(5)).toHaveLength(8);
  });

  it('is won by the best, and lost first by the worst, in 2G − 2 comparisons at most', () => {
    fc.assert(
      fc.property(different, (rewards) => {
        let comparisons = 0;
        const counting: Comparator = (a, b) => {
          comparisons++;
          return compare(a, b);
        };
        const ranked = ranking(rewards, counting);
        expect([...ranked].sort()).toEqual([...rewards].sort());
        expect(ranked[0]).toBe(Math.max(...rewards));
        expect(comparisons).toBeLessThanOrEqual(2 * rewards.length - 2);
      }),
    );
  });

  it('ranks by the round that a completion leaves in, then by its points', () => {
    // The anchor is 1, and loses to all: seeds 2, 4, 3, 1. Pairs 2–1 and 4–3: 3 has beaten the anchor, 1 has no point.
    expect(ranking([1, 2, 4, 3], compare)).toEqual([4, 2, 3, 1]);
    const [found] = estimatorOf('tournament').ofRewards([10, 20]);
    expectAll(found, [-Math.SQRT1_2, Math.SQRT1_2], 4);
  });

  it('does not see an increasing map of the rewards', () => {
    const estimator = estimatorOf('tournament');
    fc.assert(
      fc.property(different, (rewards) => {
        const mapped = rewards.map((reward) => Math.exp(reward / 10) - 3);
        expect(estimator.ofRewards(mapped)).toEqual(estimator.ofRewards(rewards));
      }),
    );
  });

  it('gives completions of one reward one advantage, and the best the largest', () => {
    const [found] = estimatorOf('tournament').ofRewards([0, 1, 0, 1, 0, 0]);
    expect(found[1]).toBe(found[3]);
    expect(new Set([0, 2, 4, 5].map((i) => found[i])).size).toBe(1);
    expect(found[1]).toBeGreaterThan(found[0]);
    expect(found.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 5);
  });

  it('gives nothing where nobody beats anybody, and is not confused by draws among others', () => {
    const { part, ofRewards } = estimatorOf('{name: tournament, tie_margin: 5}');
    expect(ofRewards([0.7, 0.7, 0.7], [1, 2, 6]).flat()).toEqual([0, 0, 0, 0, 0, 0]);
    expect(part.isDead?.(groupOfRewards([1, 1, 1], [1, 2, 6]))).toBe(true);
    const [some] = ofRewards([1, 2, 9]);
    expect(some[2]).toBe(Math.max(...some));
    expect(some.every(Number.isFinite)).toBe(true);
  });
});
