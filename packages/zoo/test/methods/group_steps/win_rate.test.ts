import { expect, it } from 'vitest';
import { group } from '../../../../../src/methods/advantage_estimators/group.ts';
import { groupOfRewards } from '../../../../../test/support/rollouts.ts';
import { stepContext } from '../../../../../test/support/steps.ts';
import { StepTrial } from '../../support/group_steps.ts';

const SCORES = [0.801, 0.8, 0.802, 0.799];
const trial = (options: string) => new StepTrial(`{name: win-rate${options}}`, '[accuracy]');

it('is the share of the others that each beats', () => {
  expect(trial('').rewardsOf(SCORES)).toEqual([2 / 3, 1 / 3, 1, 0]);
});

it('ties what differs by no more than the margin, where the deviation of the group would make an advantage of 1.08 of it', () => {
  const { stage } = trial('');
  const plain = group.create({ scaleRewards: 'group', rewardBaseline: 'group' } as never, stage);
  const advantages = (rewards: readonly (number | null)[]): number[] => {
    const [{ advantages: own }] = plain.estimate([groupOfRewards([2, 2, 2, 2], rewards)], stepContext(stage));
    return [...own];
  };
  expect(advantages(SCORES).map((value) => Number(value.toFixed(2)))).toEqual([0.36, -0.36, 1.08, -1.08]);
  const tied = trial(', tie_margin: 0.005').rewardsOf(SCORES);
  expect(tied).toEqual([0.5, 0.5, 0.5, 0.5]);
  expect(advantages(tied)).toEqual([0, 0, 0, 0]);
});

it('holds a difference for what it was meant to be: 0.3 − 0.2 is within a margin of 0.1', () => {
  expect(trial(', tie_margin: 0.1').rewardsOf([0.3, 0.2])).toEqual([0.5, 0.5]);
});

it('does not change under any map that keeps the order, and leaves out what has no reward', () => {
  const squared = trial('').rewardsOf(SCORES.map((score) => score ** 2));
  expect(squared).toEqual(trial('').rewardsOf(SCORES));
  expect(trial('').rewardsOf([0.2, null, 0.7])).toEqual([0, null, 1]);
  expect(trial('').rewardsOf([0.2, null, null])).toEqual([0.5, null, null]);
});

it('of one reward leaves the others as they are', () => {
  const { rewards } = new StepTrial('{name: win-rate, reward: lcs}').apply([
    [{ parts: [1, null, 0.5] }, { parts: [0, null, 0.9] }, { parts: [1, null, null] }],
  ]);
  expect(rewards).toEqual([[1, 1, 1]]);
});
