/** Rewards in a run: refused before step 1 where the task lacks what they read, and given the task's own verifier. */
import { describe, expect, it } from 'vitest';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { collect, reinforced } from '../../../../test/grpo/step_parts.ts';

describe('a reward of a run', () => {
  it('is refused before step 1 with the key and the task whose problems it cannot read', async () => {
    await expect(reinforced({ reward_funcs: ['context-f'] })).rejects.toThrow(
      'reward_funcs: context-f — of reverse_text: a problem has no column evidence (it has none); give one by `columns`',
    );
    await expect(reinforced({ reward_funcs: ['accuracy', 'exp-decay'] })).rejects.toThrow('is not a number');
  });

  it('may ask the verifier about another answer to the same problem', async () => {
    const asks: RewardFunction = {
      name: 'asks',
      score: ({ items, judge }) => items.map(({ answer }, row) => judge?.(row, answer).score ?? null),
    };
    const run = await reinforced({ reward_funcs: ['asks'] }, { rewards: { asks } });
    const { groups } = await collect(run);
    const given = groups.flatMap(({ rollouts }) => rollouts.map(({ reward }) => reward));
    expect(given.length).toBeGreaterThan(0);
    expect(new Set(given)).toEqual(new Set([1]));
  });
});
