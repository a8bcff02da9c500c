/** Each problem under two prompts, whose majorities label each other. */
import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../../../../src/kernels/reference/engine.ts';
import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { createMethods, createTask } from '../../../../../test/support/everything.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { openSmallRun } from '../../../../../test/support/small_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';
import { crossMajority } from '../../../methods/group_steps/cross_majority.ts';

const stage = stageOf('prompt_source: [twin]\ngroup_steps: [cross-majority]');

function group(id: string, answers: readonly string[]): RolloutGroup {
  const rollouts = answers.map((text) => ({
    ...rolloutOf(2, 0),
    text,
    verdict: { score: Number(text === '7'), status: text === '7' ? 'correct' : 'incorrect', reason: 'x' } as const,
  }));
  const made = groupOf(rollouts);
  return { ...made, item: { ...made.item, id } };
}

describe('cross-majority', () => {
  const [{ part }] = createMethods(stage).groupSteps;
  const logged: Record<string, number> = {};
  const context = {
    ...stepContext(stage, 0),
    metric: (name: string, value: number) => {
      logged[name] = value;
    },
  };

  it('pays what most say of the twin, not what most say of the problem', () => {
    const groups = [group('a', ['7', '7', '8']), group('a/twin', ['8', '8', '7']), group('b', ['7', '7', '7'])];
    const rewards = part.apply(groups, context).map(({ rollouts }) => rollouts.map(({ reward }) => reward));
    expect(rewards).toEqual([
      [0, 0, 1],
      [0, 0, 1],
      [null, null, null],
    ]);
    expect(logged.share).toBeCloseTo((2 / 3 + 2 / 3 + 1) / 3, 12);
    expect(logged).toMatchObject({ label_accuracy: 2 / 3, paired: 2 / 3 });
  });

  it('is the vote of the group itself where both say the same', () => {
    const answers = ['7', '8', '8', '9'];
    const [own, twin] = part.apply([group('a', answers), group('a/twin', answers)], context);
    const alone = createMethods(stageOf('group_steps: [majority]')).groupSteps[0].part;
    const [majority] = alone.apply([group('a', answers)], stepContext(stage, 0));
    const rewardsOf = ({ rollouts }: RolloutGroup) => rollouts.map(({ reward }) => reward);
    expect(rewardsOf(own)).toEqual(rewardsOf(majority));
    expect(rewardsOf(twin)).toEqual(rewardsOf(majority));
  });

  it('is said to pay nothing without the source that asks twins', () => {
    const alone = stageOf('group_steps: [cross-majority]');
    const said = crossMajority.warn?.({}, alone.methods, alone, []);
    expect(said).toContain('nothing asks twins: no completion will have a reward; put twin last in prompt_source');
    expect(crossMajority.warn?.({}, stage.methods, stage, [])).toBeUndefined();
  });
});

describe('twin', () => {
  it('asks each problem under two prompts, and one alone where there is room for one', async () => {
    const task = await createTask({ name: 'chain_sum', terms: 3 });
    const [{ part }] = createMethods(stage).promptSources;
    let next = 0;
    const draw = async (count: number) => Array.from({ length: count }, () => task.trainItem(3, next++));
    const tools = {
      ...stepContext(stage, 0),
      attempt: async () => [],
      solutionText: () => undefined,
      solutionGradient: async () => new Float32Array(1),
      judge: async () => [],
      twin: (item: ReturnType<typeof task.trainItem>) => task.twin?.(item),
    };
    const asked = await part.next(7, draw, tools);
    expect(asked).toHaveLength(7);
    const twins = asked.filter(({ id }) => id.endsWith('/twin'));
    expect(twins.length).toBeGreaterThan(1);
    for (const twin of twins) {
      const first = asked[asked.indexOf(twin) - 1];
      expect(twin.id).toBe(`${first.id}/twin`);
      expect(twin.prompt).not.toBe(first.prompt);
      expect([twin.key, twin.answer, twin.split]).toEqual([first.key, first.answer, first.split]);
    }
  });

  it('is refused where the task has no twins', async () => {
    const yaml = 'task: reverse_text\nmax_steps: 1\nprompt_source: [twin]\n';
    await expect(openSmallRun(referenceBackend, { yaml })).rejects.toThrow(
      'twin: asks each problem under two prompts, and reverse_text has one; use countdown, chain_sum',
    );
  });
});
