/** A reward as a factor of the others, by hand. */
import { describe, expect, it } from 'vitest';
import { stageOf } from '../../../../../test/support/stages.ts';
import { episodeOf, stepped } from '../../support/played_rollouts.ts';

const REWARDS = 'reward_funcs: [accuracy, {name: lcs, weight: 0}, {name: positions, weight: 0}]';

/** Totals of completions with these rewards, of which the first counts. */
function totals(parts: readonly (readonly (number | null)[])[], steps: string) {
  const rollouts = parts.map((rewardParts) => ({ ...episodeOf(rewardParts[0], [{}]), rewardParts }));
  const { rollouts: after, logged } = stepped(rollouts, REWARDS, `group_steps: ${steps}`);
  return { rewards: after.map(({ reward }) => reward), logged };
}

describe('soft-gate', () => {
  it('multiplies what is above 0 by the reward, between its floor and 1', () => {
    const parts = [
      [2, 0.5, 0],
      [2, 0.1, 0],
      [2, 3, 0],
      [-1, 0.5, 0],
      [2, null, 0],
      [null, 0.5, 0],
    ];
    const { rewards, logged } = totals(parts, '[{name: soft-gate, factor: lcs, floor: 0.25}]');
    expect(rewards).toEqual([1, 0.5, 2, -1, 2, null]);
    expect(logged['soft-gate/factor']).toBeCloseTo((0.5 + 0.25 + 1 + 0.5 + 0.5) / 5, 12);
  });

  it('is a product of factors where it is there several times, in any order', () => {
    const parts = [
      [1, 0.5, 0.2],
      [1, 0, 1],
    ];
    const [first, second] = ['{name: soft-gate, factor: lcs, floor: 0.1}', '{name: soft-gate, factor: positions}'];
    const there = totals(parts, `[${first}, ${second}]`);
    expect(there.rewards[0]).toBeCloseTo(0.1, 12);
    expect(there.rewards[1]).toBeCloseTo(0.1, 12);
    expect(totals(parts, `[${second}, ${first}]`).rewards).toEqual(there.rewards);
    expect(there.logged['soft-gate#2/factor']).toBeCloseTo(0.6, 12);
  });

  it('refuses a reward that the stage does not have', () => {
    expect(() => stageOf(REWARDS, 'group_steps: [{name: soft-gate, factor: similarity}]')).toThrow(
      '"similarity" is no reward of this stage',
    );
  });
});
