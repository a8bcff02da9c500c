import { describe, expect, it } from 'vitest';
import type { CreditedGroup } from '../../../../src/methods/records.ts';
import { answered, credit, reinforced } from '../../../../test/grpo/step_parts.ts';
import { expectClose } from '../../../../test/support/compare.ts';

type Rewards = readonly (number | null)[];

/** Advantages of groups with these rewards. */
async function credited(rewards: readonly Rewards[], keys: Readonly<Record<string, unknown>> = {}) {
  const run = await reinforced(keys);
  const groups = rewards.map((own) => own.map((reward) => ({ text: 'ab', reward })));
  return credit(run, await answered(run, groups));
}

function advantagesOf(groups: readonly CreditedGroup[]): number[][] {
  return groups.map(({ advantages }) => [...advantages]);
}

/** With n − 1. */
function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}

describe('advantages', () => {
  it('are the distance from the mean of the group, over its standard deviation', async () => {
    const groups = await credited([
      [0, 0, 1, 1],
      [2, 4, 6, 8],
    ]);
    const first = 0.5 / (deviation([0, 0, 1, 1]) + 1e-4);
    const unit = 1 / (deviation([2, 4, 6, 8]) + 1e-4);
    expectClose(groups[0].advantages, [-first, -first, first, first]);
    expectClose(groups[1].advantages, [-3 * unit, -unit, unit, 3 * unit]);
  });

  it('are over the deviation of the batch, or over none, where scale_rewards says so', async () => {
    const rewards = [
      [0, 0, 1, 1],
      [2, 4, 6, 8],
    ];
    const unit = 1 / (deviation(rewards.flat()) + 1e-4);
    const [first, second] = await credited(rewards, { scale_rewards: 'batch' });
    expectClose(first.advantages, [-0.5 * unit, -0.5 * unit, 0.5 * unit, 0.5 * unit]);
    expectClose(second.advantages, [-3 * unit, -unit, unit, 3 * unit]);
    expect(advantagesOf(await credited(rewards, { scale_rewards: 'none' }))).toEqual([
      [-0.5, -0.5, 0.5, 0.5],
      [-3, -1, 1, 3],
    ]);
  });

  it('are exactly 0 in a dead group', async () => {
    expect(advantagesOf(await credited([[0.1, 0.1, 0.1, 0.1]]))).toEqual([[0, 0, 0, 0]]);
  });

  it('are 0 where a reward is null, which does not count in the mean and the deviation', async () => {
    const [group, without] = await credited([
      [null, 2, null, 6],
      [null, null, null, null],
    ]);
    const unit = 2 / (deviation([2, 6]) + 1e-4);
    expectClose(group.advantages, [0, -unit, 0, unit]);
    expect(group.advantages[0]).toBe(0);
    expect([...without.advantages]).toEqual([0, 0, 0, 0]);
  });

  it('of a lone reward among nulls are 0', async () => {
    expect(advantagesOf(await credited([[null, 5, null, null]]))).toEqual([[0, 0, 0, 0]]);
  });
});

describe('the groups of an update', () => {
  const rewards: readonly Rewards[] = [
    [1, 1, 1, 1],
    [0, 1, 0, 0],
    [0, 0, 0, 0],
    [1, 0, 0, 0],
    [1, 1, 0, 0],
    [0, 0, 0, 1],
  ];

  it('are all groups, dead ones too, where there is no refill', async () => {
    const groups = await credited(rewards.slice(0, 3));
    expect(groups.map(({ dead }) => dead)).toEqual([true, false, true]);
  });

  it('are without those that credit steps leave without advantage, which are then dead', async () => {
    const credit_steps = [
      { name: 'pos-weight', positive_weight: 0 },
      { name: 'neg-scale-success', unsolved_scale: 0 },
    ];
    const keys = { credit_steps: [...credit_steps, { name: 'sample-sign', kept_sign: 'positive' }] };
    const shaped = await credited(
      [
        [0, 1, 0, 0],
        [0, 0, 0, 0],
      ],
      keys,
    );
    expect(shaped.map(({ dead }) => dead)).toEqual([true, true]);
    const kept = await credited([[0, 1, 0, 0]], { credit_steps: credit_steps.slice(0, 1) });
    expect(kept.map(({ dead }) => dead)).toEqual([false]);
  });

  it('are the first live ones where there is refill, no more than a step has prompts', async () => {
    const groups = await credited(rewards, { dynamic_sampling: 'refill' });
    expect(groups.map(({ rollouts }) => rollouts.map(({ reward }) => reward))).toEqual([
      rewards[1],
      rewards[3],
      rewards[4],
    ]);
  });
});
