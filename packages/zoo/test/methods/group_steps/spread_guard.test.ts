import { expect, it } from 'vitest';
import { StepTrial } from '../../support/group_steps.ts';

const rows = (...values: readonly (number | null)[]) => values.map((value) => ({ parts: [value] }));

it('calls a group dead whose rewards differ by less, and leaves its rewards alone', () => {
  const trial = new StepTrial('{name: spread-guard, min_reward_spread: 0.1}', '[accuracy]');
  const { groups, rewards, logged } = trial.apply([
    rows(0.8, 0.85, 0.82),
    rows(0, 1),
    rows(0.2, 0.3),
    rows(null, null),
  ]);
  // 0.3 − 0.2 is 0.1, though not in floating point; without a reward there is nothing to compare.
  expect(groups.map(({ dead }) => dead)).toEqual([true, false, false, true]);
  expect(rewards[0]).toEqual([0.8, 0.85, 0.82]);
  expect(logged['spread-guard/dead']).toBe(0.5);
});

it('does not count a completion that has no reward', () => {
  const trial = new StepTrial('{name: spread-guard, min_reward_spread: 0.1}', '[accuracy]');
  expect(trial.apply([rows(0.5, null, 0.5)]).groups[0].dead).toBe(true);
});
