/** Estimators of the best of k tries, against every set of k, and against the gradient itself. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOfRewards } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { draws, estimatorOf, expectAll, scoreOf, slopesOf, softmax, subsets } from '../../support/advantages.ts';

const best = (rewards: readonly number[], members: readonly number[]): number =>
  members.reduce((most, i) => Math.max(most, rewards[i]), Number.NEGATIVE_INFINITY);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('passk-analytic', () => {
  const passk = (k: number) => estimatorOf(`{name: passk-analytic, k: ${k}}`);

  it.each([
    [2, 1.07417, -0.35806],
    [4, 0.52223, -0.17408],
  ])('has its numbers for 2 of 8 right, k = %i', (k, right, wrong) => {
    expectAll(passk(k).ofRewards([1, 1, 0, 0, 0, 0, 0, 0])[0], [right, right, ...Array<number>(6).fill(wrong)]);
  });

  it('is the mean over the sets of k that a completion is in, each paid by its best', () => {
    for (let size = 2; size <= 7; size++) {
      for (let right = 0; right <= size; right++) {
        for (let k = 1; k <= size; k++) {
          const rewards = Array.from({ length: size }, (_, i) => (i < right ? 1 : 0));
          const paid = [...subsets(size, k)].map((members) => ({ members, reward: best(rewards, members) }));
          const center = mean(paid.map(({ reward }) => reward));
          const deviation = Math.sqrt(center * (1 - center));
          const expected = rewards.map((_, i) => {
            const own = paid.filter(({ members }) => members.includes(i)).map(({ reward }) => reward);
            return deviation === 0 ? 0 : (mean(own) - center) / deviation;
          });
          const [found] = passk(k).ofRewards(rewards);
          expectAll(found, expected);
          expect(found.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 5);
        }
      }
    }
  });

  it('of single tries is the group, scaled by its population deviation', () => {
    expectAll(
      passk(1).ofRewards([1, 0, 0, 0])[0],
      [0.75, -0.25, -0.25, -0.25].map((x) => x / Math.sqrt(3 / 16)),
    );
  });

  it('calls a group dead that k tries solve anyway', () => {
    const { part, ofRewards } = passk(4);
    const mostlyRight = [1, 1, 1, 0, 0];
    expect(ofRewards(mostlyRight)[0].every((value) => value === 0)).toBe(true);
    expect(part.isDead?.(groupOfRewards([1, 1, 1, 1, 1], mostlyRight))).toBe(true);
    expect(part.isDead?.(groupOfRewards([1, 1, 1, 1, 1], [1, 0, 0, 0, 0]))).toBe(false);
  });

  it('takes what is there of a group that is short of rewards', () => {
    expectAll(passk(4).ofRewards([1, null, 0, null])[0], [0, 0, 0, 0]);
    expect(passk(4).ofRewards([null, null])).toEqual([[0, 0]]);
  });
});

describe('pkpo', () => {
  const pkpo = (variant: string, k: number) => estimatorOf(`{name: pkpo, variant: ${variant}, k: ${k}}`);
  const rewardsOfSix = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 6, maxLength: 6 });

  it('adds up, over every set of k, its best: all of it, or what the completion adds', () => {
    fc.assert(
      fc.property(rewardsOfSix, fc.integer({ min: 2, max: 6 }), (rewards, k) => {
        const sets = [...subsets(6, k)];
        const over = (value: (members: readonly number[], i: number) => number) =>
          rewards.map(
            (_, i) => sets.reduce((sum, set) => sum + (set.includes(i) ? value(set, i) : 0), 0) / sets.length,
          );
        const plain = over((members) => best(rewards, members));
        const loo1 = over(
          (members, i) =>
            best(rewards, members) -
            best(
              rewards,
              members.filter((j) => j !== i),
            ),
        );
        expectAll(pkpo('plain', k).ofRewards(rewards)[0], plain);
        expectAll(pkpo('loo1', k).ofRewards(rewards)[0], loo1);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['plain', 1],
    ['plain', 2],
    ['plain', 3],
    ['loo1', 2],
    ['loo1', 3],
  ])('%s is the gradient of the expected best of %i, by all outcomes of a bandit of three arms', (variant, k) => {
    const [logits, payoffs] = [
      [0.4, -0.2, 0.9],
      [1, 3, 2],
    ];
    const policy = softmax(logits);
    const estimator = pkpo(variant, k);
    const gradient = logits.map(() => 0);
    for (const arms of draws(3, 4)) {
      const chance = arms.reduce((product, arm) => product * policy[arm], 1);
      const [advantages] = estimator.ofRewards(arms.map((arm) => payoffs[arm]));
      arms.forEach((arm, i) => {
        scoreOf(arm, policy).forEach((slope, a) => {
          gradient[a] += chance * advantages[i] * slope;
        });
      });
    }
    const expected = (at: readonly number[]): number => {
      const own = softmax(at);
      return [...draws(3, k)].reduce((sum, arms) => {
        const chance = arms.reduce((product, arm) => product * own[arm], 1);
        return sum + chance * Math.max(...arms.map((arm) => payoffs[arm]));
      }, 0);
    };
    expectAll(gradient, slopesOf(expected, logits), 6);
  });

  it('of the whole group pays the best by its lead over the second, and nobody else', () => {
    expect(pkpo('loo1', 4).ofRewards([0.5, 2, 1.25, 0])).toEqual([[0, 0.75, 0, 0]]);
    expect(pkpo('loo1', 4).ofRewards([2, 2, 1, 0])).toEqual([[0, 0, 0, 0]]);
  });

  it('of rewards 0 and 1 pays right ones by C(n − c, k − 1)/C(n, k)', () => {
    expectAll(pkpo('loo1', 3).ofRewards([1, 1, 0, 0, 0, 0])[0], [6 / 20, 6 / 20, 0, 0, 0, 0]);
  });

  it('of a large group stays finite', () => {
    const rewards = Array.from({ length: 1500 }, (_, i) => i / 1500);
    const found = estimatorOf('{name: pkpo, k: 750}', 'num_generations: 1500', 'generation_batch_size: 1500');
    expect(found.ofRewards(rewards)[0].every(Number.isFinite)).toBe(true);
  });

  it('calls equal rewards dead, but as they stand only those of 0', () => {
    const isDead = (variant: string, reward: number) =>
      pkpo(variant, 2).part.isDead?.(groupOfRewards([1, 1, 1], [reward, reward, reward]));
    expect([isDead('loo1', 0.7), isDead('plain', 0.7), isDead('plain', 0)]).toEqual([true, false, true]);
  });
});

describe('k', () => {
  it.each([
    ['{name: passk-analytic, k: 9}', 'takes 9 completions (k) of a group of 8; lower k, or raise num_generations'],
    ['{name: passk-analytic, k: 8}', 'the one set of all 8 completions tells none of them apart'],
    ['{name: pkpo, k: {from: 2, to: 16}}', 'takes 16 completions (k) of a group of 8'],
    ['{name: pkpo, k: 1}', 'a single try has no other to be compared with; use 2 or more, or variant: plain'],
  ])('that cannot be is refused before step 1: %s', (written, message) => {
    expect(() => stageOf(`advantage_estimator: ${written}`)).toThrow(message);
  });

  it('may move over the stage', () => {
    expect(() => stageOf('advantage_estimator: {name: pkpo, k: {from: 8, to: 2}}')).not.toThrow();
  });
});
