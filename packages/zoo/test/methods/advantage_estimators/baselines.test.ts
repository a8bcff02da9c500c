/** What rewards are compared with, and divided by: relations between the factored estimators, and those beside them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOf, groupOfRewards, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { draws, estimatorOf, expectAll, scoreOf, slopesOf, softmax } from '../../support/advantages.ts';

const rewards = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 2, maxLength: 9 });
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('baseline × scale', () => {
  it.each(['group', 'none', 'batch', 'mean'])('adds up to 0 with the mean of the group, scaled by %s', (scale) => {
    const estimator = estimatorOf(`{name: group, scale_rewards: ${scale}}`);
    fc.assert(
      fc.property(rewards, (given) => {
        const [own] = estimator.ofRewards(given.map((reward) => 4 + reward));
        expect(own.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 4);
      }),
    );
  });

  it('of the others of the group is G/(G − 1) times that of the group', () => {
    const [loo, centred] = [
      estimatorOf('{name: group, baseline: loo, scale_rewards: none}'),
      estimatorOf('{name: group, scale_rewards: none}'),
    ];
    const rloo = estimatorOf('rloo');
    fc.assert(
      fc.property(rewards, (given) => {
        const factor = given.length / (given.length - 1);
        const [[a], [b], [c]] = [loo, centred, rloo].map((estimator) => estimator.ofRewards(given));
        expectAll(
          a,
          b.map((value) => factor * value),
          4,
        );
        expectAll(c, a, 4);
      }),
    );
  });

  it('scaled by the group does not see a·R + b; unscaled it sees a', () => {
    const given = [0, 1, 0.25, 0.75];
    const moved = given.map((reward) => 100 * reward - 7);
    const [scaled, plain] = [estimatorOf('group'), estimatorOf('{name: group, scale_rewards: none}')];
    expectAll(scaled.ofRewards(moved)[0], scaled.ofRewards(given)[0], 3);
    expectAll(
      plain.ofRewards(moved)[0],
      plain.ofRewards(given)[0].map((value) => 100 * value),
      4,
    );
  });

  it('scaled by the mean is maxrl, and weighs a problem by how rarely it is solved', () => {
    const [scaled, maxrl] = [estimatorOf('{name: group, scale_rewards: mean}'), estimatorOf('maxrl')];
    const given = [
      [1, 0, 0, 0],
      [1, 1, 1, 0],
      [0, 0, 0, 0],
    ];
    expect(maxrl.ofRewards(...given)).toEqual(scaled.ofRewards(...given));
    expectAll(maxrl.ofRewards(...given).flat(), [3, -1, -1, -1, 1 / 3, 1 / 3, 1 / 3, -1, 0, 0, 0, 0]);
  });

  it('mapo is that of the deviation where half of a group is right, and nears that of the mean towards none and all', () => {
    const [mapo, group] = [estimatorOf('mapo'), estimatorOf('group')];
    expectAll(mapo.ofRewards([1, 0, 1, 0])[0], group.ofRewards([1, 0, 1, 0])[0], 6);
    // p = ¼: λ = ¼, μ = ¼, σ = ½.
    const [right, wrong] = [0.75, -0.25].map((away) => away * (0.75 / (0.5 + 1e-4) + 0.25 / 0.25));
    expectAll(mapo.ofRewards([1, 0, 0, 0])[0], [right, wrong, wrong, wrong], 6);
    expect(mapo.ofRewards([0, 0, 0], [1, 1, 1])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it.each(['maxrl', '{name: group, scale_rewards: mean}'])('gives 0 where the mean is not above 0: %s', (written) => {
    const { part, ofRewards } = estimatorOf(written);
    for (const below of [
      [-1, 0],
      [-1, 1],
    ]) {
      expect(ofRewards(below)).toEqual([[0, 0]]);
      expect(part.isDead?.(groupOfRewards([1, 1], below))).toBe(true);
    }
  });
});

describe('normalize_then_sum', () => {
  const withParts = (parts: readonly (readonly number[])[]) =>
    groupOf(
      parts.map((own) => ({
        ...rolloutOf(
          1,
          own.reduce((sum, part) => sum + part, 0),
        ),
        rewardParts: own,
      })),
    );
  const groups = [
    [
      [1, 0.3],
      [0, 0.3],
      [0, 0.3],
    ],
    [
      [1, 2],
      [1, 2],
      [0, 2],
    ],
  ];
  const gdpo = (weights: readonly number[]) =>
    estimatorOf(
      '{name: group, multi_objective_aggregation: normalize_then_sum}',
      `reward_funcs: [{name: accuracy, weight: ${weights[0]}}, {name: positions, weight: ${weights[1]}}]`,
    );

  it('leaves out a reward that is constant within the group, exactly', () => {
    const other = groups.map((group) => group.map(([first]) => [first, 9]));
    expect(gdpo([1, 1]).advantages(groups.map(withParts))).toEqual(gdpo([1, 1]).advantages(other.map(withParts)));
  });

  it('of one reward is the standard score over the batch of that within the group', () => {
    const [ofGroup] = [estimatorOf('group').advantages(groups.map((group) => withParts(group.map(([a]) => [a, 0]))))];
    const all = ofGroup.flat();
    const deviation = Math.sqrt(all.reduce((sum, value) => sum + (value - mean(all)) ** 2, 0) / (all.length - 1));
    expectAll(
      gdpo([1, 0]).advantages(groups.map(withParts)).flat(),
      all.map((value) => (value - mean(all)) / (deviation + 1e-4)),
    );
  });
});

describe('length-weighted', () => {
  const estimator = estimatorOf('length-weighted');

  it('is the mean of the group where lengths are equal', () => {
    const given = groupOfRewards([3, 3, 3, 3], [1, 0, 0.5, 0]);
    expect(estimator.advantages([given])).toEqual(
      estimatorOf('{name: group, scale_rewards: none}').advantages([given]),
    );
  });

  it('weighs the baseline by tokens, and a group of equal rewards gets exactly 0', () => {
    expectAll(estimator.advantages([groupOfRewards([1, 3], [1, 0])])[0], [0.75, -0.25]);
    const equal = groupOfRewards([1, 3, 7], [0.7, 0.7, 0.7]);
    expect(estimator.advantages([equal])).toEqual([[0, 0, 0]]);
    expect(estimator.part.isDead?.(equal)).toBe(true);
  });
});

describe('js-shrinkage', () => {
  const estimator = estimatorOf('js-shrinkage');

  it('shrinks by what the other problems say: λ is 2/27, 2/3 and 1/3', () => {
    const given = [
      [1, 0, 0, 0],
      [1, 1, 1, 0],
      [0, 0, 0, 0],
    ];
    const found = estimator.ofRewards(...given);
    expectAll(
      found[0].map((value, i) => given[0][i] - value),
      [0.02778, 0.33642, 0.33642, 0.33642],
      4,
    );
    const loo = [0, 0, 0].map(() => 2 / 3);
    expectAll(
      found[1].map((value, i) => given[1][i] - value),
      [...loo, 1].map((others) => others / 3 + (2 / 3) * 0.125),
    );
    expectAll(
      found[2],
      [0, 0, 0, 0].map(() => -0.5 / 3),
    );
  });

  it('is rloo where the other problems are constant, where there is one other, and where there is none', () => {
    const rloo = estimatorOf('rloo');
    const own = [1, 0, 1, 0];
    expect(estimator.ofRewards(own, [1, 1, 1], [0, 0, 0])[0]).toEqual(rloo.ofRewards(own)[0]);
    expect(estimator.ofRewards(own, [1, 0, 0])[0]).toEqual(rloo.ofRewards(own)[0]);
    expect(estimator.ofRewards(own)[0]).toEqual(rloo.ofRewards(own)[0]);
    expect(estimator.ofRewards([1, 1], [1, 1], [1, 1]).flat()).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('calls no group dead: one that is all right is above its baseline in a batch that is not', () => {
    const right = groupOfRewards([1, 1], [1, 1]);
    expect(estimator.part.isDead?.(right)).toBe(false);
    expect(Math.min(...estimator.ofRewards([1, 1], [1, 0], [0, 0])[0])).toBeGreaterThan(0);
  });

  it('is unbiased, by all outcomes of three problems of two tries', () => {
    const problems = [0.3, -0.8, 1.1].map((logit) => [logit, 0]);
    const policies = problems.map(softmax);
    const gradient = problems.map(() => [0, 0]);
    for (const arms of draws(2, 6)) {
      const tries = problems.map((_, g) => arms.slice(2 * g, 2 * g + 2));
      const chance = tries.flatMap((own, g) => own.map((arm) => policies[g][arm])).reduce((p, q) => p * q, 1);
      const advantages = estimator.ofRewards(...tries.map((own) => own.map((arm) => 1 - arm)));
      tries.forEach((own, g) => {
        own.forEach((arm, i) => {
          scoreOf(arm, policies[g]).forEach((slope, a) => {
            gradient[g][a] += (chance * advantages[g][i] * slope) / own.length;
          });
        });
      });
    }
    const success = (logits: readonly number[]): number => softmax(logits)[0];
    problems.forEach((logits, g) => {
      expectAll(gradient[g], slopesOf(success, logits), 6);
    });
  });
});
