import { describe, expect, it } from 'vitest';
import { stageOf } from '../../../../../test/support/stages.ts';
import { StepTrial } from '../../support/group_steps.ts';

const REWARDS = '[accuracy, {name: positions, weight: 0.6}, {name: lcs, weight: 0.5}]';

describe('the override', () => {
  it('pays every solved completion the same, whatever else it has', () => {
    const trial = new StepTrial('{name: solved-override, solved_reward: 2.1}', REWARDS);
    const { rewards } = trial.apply([
      [{ parts: [1, 1, 1] }, { parts: [1, 1, 0] }, { parts: [0, 1, 1] }, { parts: [0, 0, 0] }],
    ]);
    expect(rewards).toEqual([[2.1, 2.1, 1.1, 0]]);
  });

  it('asks a reward of its own whether a completion is solved', () => {
    const trial = new StepTrial('{name: solved-override, solved_reward: 3, solved_by: lcs}', REWARDS);
    expect(trial.apply([[{ parts: [0, 0, 1] }, { parts: [1, 0, null] }]]).rewards).toEqual([[3, 1]]);
  });

  it('is refused before step 1 where the other rewards may come to as much', () => {
    const stage = (solved: number) => () =>
      stageOf(`group_steps: [{name: solved-override, solved_reward: ${solved}}]`, `reward_funcs: ${REWARDS}`);
    expect(stage(1.1)).toThrow(
      /the other rewards come to 1\.1 without a solution, and solved_reward is 1\.1; set it above 1\.1/,
    );
    expect(stage(1.2)).not.toThrow();
  });

  it('counts a punishment as nothing, and knows no range of a file', () => {
    const soft = '{name: soft_overlong, max_tokens: 8, cache: 4}';
    const stage = (rewards: string) => () =>
      stageOf('group_steps: [{name: solved-override, solved_reward: 0.5}]', `reward_funcs: ${rewards}`);
    expect(stage(`[accuracy, ${soft}]`)).not.toThrow();
    expect(stage('[accuracy, ./mine.ts]')).not.toThrow();
    expect(stage('[accuracy, lcs]')).toThrow(/set it above 1/);
    expect(stage('[accuracy, kendall]')).toThrow(/set it above 1/);
  });

  it('stops with words at a wrong answer that is worth as much', () => {
    const trial = new StepTrial('{name: solved-override, solved_reward: 1.2}', REWARDS);
    const partial = { parts: [0.5, 1, 1], verdict: { score: 0.5 }, text: '12' };
    expect(() => trial.apply([[partial]], 6)).toThrow(
      /^solved-override\.solved_reward: 1\.2 — "" → "12" has 1\.6 in step 7, and is not solved; set it above every reward/,
    );
  });
});
