/** Advantages that remember a problem: the golden numbers of the paper's rule, and the same bits after a kill. */
import { describe, expect, it } from 'vitest';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { wholeAndKilled } from '../../../../../test/support/killed_runs.ts';
import { groupOfRewards } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';

const STAGE = stageOf('advantage_estimator: sas');
const newEstimator = () => createMethods(STAGE).advantageEstimator.part;
const groupOfFour = (...rewards: number[]): RolloutGroup => groupOfRewards([1, 1, 1, 1], rewards);
const advantages = (part: ReturnType<typeof newEstimator>, ...groups: RolloutGroup[]) =>
  part.estimate(groups, stepContext(STAGE)).map((one) => [...one.advantages]);

describe('sas', () => {
  it('is the standard score of a population at a first visit', () => {
    const [own] = advantages(newEstimator(), groupOfFour(1, 0, 0, 0));
    expect(own[0]).toBeCloseTo(0.75 / Math.sqrt(0.1875), 6);
    expect(own[1]).toBeCloseTo(-0.25 / Math.sqrt(0.1875), 6);
  });

  it('gives a group of equal rewards 0.387 where a quarter of the one before was right', () => {
    const part = newEstimator();
    const solved = groupOfFour(1, 1, 1, 1);
    expect(part.isDead?.(solved)).toBe(true); // never seen
    advantages(part, groupOfFour(1, 0, 0, 0));
    expect(part.isDead?.(solved)).toBe(false);
    const [own] = advantages(part, solved);
    // μ = 0.625, σ² = 0.234375: 0.375/σ, half of it.
    expect(own[0]).toBeCloseTo(0.375 / Math.sqrt(0.234375) / 2, 6);
    expect(own[0]).toBeCloseTo(0.387, 3);
  });

  it('takes the advantage of the smaller size, of the formula written out', () => {
    const part = newEstimator();
    const visits = [
      [1, 0, 0, 0],
      [1, 1, 0, 0],
      [0, 0, 1, 1],
    ];
    const all: number[] = [];
    visits.forEach((rewards, i) => {
      all.push(...rewards);
      const [own] = advantages(part, groupOfFour(...rewards));
      const score = (values: readonly number[], reward: number): number => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        return (reward - mean) / Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
      };
      rewards.forEach((reward, k) => {
        // Over groups of one size the merged moments are those of all rewards so far.
        const [old, now] = [score(all, reward), score(rewards, reward)];
        const candidates = [(old + i * now) / (i + 1), (now + i * old) / (i + 1)];
        const due = candidates.reduce((a, b) => (Math.abs(a) <= Math.abs(b) ? a : b));
        expect(Math.abs(own[k] - due)).toBeLessThan(1e-6);
      });
    });
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(
      'advantage_estimator: sas\nprompt_source: {name: few-shot-data, limit: 5}\ndynamic_sampling: refill',
    );
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});
