/** Bundles of problems: their comparison, and the risk measure over them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { quantileOf } from '../../../../../src/methods/statistics.ts';
import { groupOfRewards } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { type RiskShape, riskWeight } from '../../../methods/advantage_estimators/riskpo.ts';
import { bundlesOf } from '../../../methods/support/credit/bundles.ts';
import { estimatorOf, expectAll, rewarded, scoreOf, slopesOf, softmax } from '../../support/advantages.ts';

const deviation = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
};

describe('bundles', () => {
  it('take one completion of each problem, and each completion once', () => {
    const groups = [
      [1, 0, 1],
      [0, 0, 1],
      [1, 1, 0],
      [0.5, 0.25, 0],
    ].map(rewarded);
    const bundles = bundlesOf(groups, { bundleSize: 2 }, rngFor('bundles'));
    expect(bundles.map(({ set }) => set)).toEqual([0, 0, 0, 1, 1, 1]);
    for (const { set, members, score } of bundles) {
      expect(members.map(({ group }) => group)).toEqual([2 * set, 2 * set + 1]);
      const rewards = members.map(({ group, rollout }) => groups[group].rollouts[rollout].reward ?? Number.NaN);
      expect(score).toBe(rewards.reduce((sum, reward) => sum + reward, 0));
    }
    const places = bundles.flatMap(({ members }) => members.map(({ group, rollout }) => `${group}/${rollout}`));
    expect(new Set(places).size).toBe(12);
  });

  it('that are short of members are scored as if they were not; what does not count is left out', () => {
    const bundles = bundlesOf([rewarded([1, null]), rewarded([1, 0.5]), rewarded([1])], { bundleSize: 2 }, rngFor('b'));
    expect(bundles.map(({ members }) => members.length)).toEqual([2, 1, 1]);
    expect(bundles[2].score).toBe(2);
    expect(bundles[0].score + bundles[1].score / 2).toBe(2.5);
  });
});

describe('bundle', () => {
  it('of single problems is the group', () => {
    const given = [
      [1, 0, 0.5, 0],
      [1, 1, 0, 1],
    ];
    const single = estimatorOf('{name: bundle, prompts_per_bundle: 1}');
    expectAll(
      single.ofRewards(...given).flat(),
      estimatorOf('group')
        .ofRewards(...given)
        .flat(),
    );
  });

  it('credits the members of a bundle alike, in a group of equal rewards too', () => {
    const { part, ofRewards } = estimatorOf('{name: bundle, prompts_per_bundle: 2}');
    const [same, other] = ofRewards([1, 1, 1], [1, 0, 0]);
    expect([...same].sort()).toEqual([...other].sort());
    expect(new Set(same).size).toBe(2);
    expect(part.isDead?.(groupOfRewards([1, 1, 1], [1, 1, 1]))).toBe(false);
    expect(ofRewards([1, 1], [0, 0])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

const SHAPE: RiskShape = { lowShare: 0.25, highShare: 0.7, tailWeight: 1.5, isNormalized: true };

/** Scores of four arms; their chances cut neither share at an arm's border. */
const SCORES = [0, 1, 2.5, 4];
const LOGITS = [-0.4, 0.3, 0.2, -0.1];

const stepsOf = (logits: readonly number[]) => {
  const chances = softmax(logits);
  const upTo = (arms: number): number => chances.slice(0, arms).reduce((sum, chance) => sum + chance, 0);
  return SCORES.map((score, a) => ({ from: upTo(a), to: upTo(a + 1), score }));
};
/** The integral of the quantile function from 0 to a share. */
const quantileMass = (logits: readonly number[], share: number): number =>
  stepsOf(logits).reduce((sum, { from, to, score }) => sum + score * Math.max(0, Math.min(to, share) - from), 0);
const quantile = (share: number): number => stepsOf(LOGITS).find(({ to }) => to >= share)?.score ?? Number.NaN;

describe('riskpo', () => {
  it.each([true, false])(
    'weighs score functions as the gradient of the mixed value-at-risk does (normalized: %s)',
    (isNormalized) => {
      const shape = { ...SHAPE, isNormalized };
      const { lowShare, highShare, tailWeight } = shape;
      const risk = (logits: readonly number[]): number => {
        const tail = quantileMass(logits, lowShare);
        const range = quantileMass(logits, highShare) - tail;
        if (!isNormalized) return tailWeight * tail + range;
        return (tailWeight * tail) / lowShare + range / (highShare - lowShare);
      };
      const quantiles = { low: quantile(lowShare), high: quantile(highShare) };
      const policy = softmax(LOGITS);
      const gradient = LOGITS.map(() => 0);
      SCORES.forEach((score, arm) => {
        const weight = (tailWeight + 1) * riskWeight(score, quantiles, shape);
        scoreOf(arm, policy).forEach((slope, a) => {
          gradient[a] += policy[arm] * weight * slope;
        });
      });
      expectAll(gradient, slopesOf(risk, LOGITS, 1e-3), 9);
      expect(Math.max(...gradient.map(Math.abs))).toBeGreaterThan(0.05);
    },
  );

  it('never pays, and leaves alone what scores the upper quantile or more', () => {
    fc.assert(
      fc.property(fc.double({ min: -9, max: 9, noNaN: true }), (score) => {
        const weight = riskWeight(score, { low: -1, high: 2 }, SHAPE);
        expect(score >= 2 ? Object.is(weight, 0) : weight < 0).toBe(true);
      }),
    );
  });

  const single = '{name: riskpo, prompts_per_bundle: 1, low_share: 0.25, high_share: 0.75, quantile_rate: 0.5}';

  it('divides by the deviation of the scores, and of the group; the first batch sets the quantiles', () => {
    const given = [
      [0, 1, 0.5, 1],
      [0, 0, 0, 0.25],
    ];
    const scores = given.flat();
    const quantiles = { low: quantileOf(scores, 0.25), high: quantileOf(scores, 0.75) };
    const shape = { lowShare: 0.25, highShare: 0.75, tailWeight: 1.5, isNormalized: true };
    const expected = given.map((own) =>
      own.map((score) => riskWeight(score, quantiles, shape) / deviation(scores) / deviation(own)),
    );
    expectAll(
      estimatorOf(single)
        .ofRewards(...given)
        .flat(),
      expected.flat(),
    );
    const uniform = estimatorOf(single.replace('}', ', credit: uniform}'));
    expectAll(
      uniform.ofRewards(...given)[0],
      expected[0].map((value) => value * deviation(given[0])),
    );
  });

  it('moves its quantiles by the share of bundles below them, and goes on from its state', () => {
    const { part, ofRewards } = estimatorOf(single);
    expect(part.state?.()).toBeNull();
    ofRewards([0, 1, 2, 3, 4]);
    expect(part.state?.()).toEqual({ low: 1 + 0.5 * (0.25 - 0.2), high: 3 + 0.5 * (0.75 - 0.6) });
    const again = estimatorOf(single);
    again.part.restore?.(JSON.parse(JSON.stringify(part.state?.())));
    const next = [3, 1, 0, 2, 2];
    expect(again.ofRewards(next)).toEqual(ofRewards(next));
    expect(again.ofRewards(next)).not.toEqual(estimatorOf(single).ofRewards(next));
  });

  it('gives exactly 0 where all scores are equal, and to what does not count', () => {
    const { part, ofRewards } = estimatorOf('riskpo');
    expect(ofRewards([0.7, 0.7], [0.7, 0.7]).flat()).toEqual([0, 0, 0, 0]);
    expect(estimatorOf('riskpo').ofRewards([null, null])).toEqual([[0, 0]]);
    expect(part.isDead?.(groupOfRewards([1, 1], [0.7, 0.7]))).toBe(false);
    expect(part.isDead?.(groupOfRewards([1, 1], [null, null]))).toBe(true);
  });

  it('refuses shares that do not rise', () => {
    expect(() => stageOf('advantage_estimator: {name: riskpo, low_share: 0.8}')).toThrow('must be below high_share');
  });
});
