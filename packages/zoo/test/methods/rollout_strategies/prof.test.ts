/** Which of more completions than are trained on are kept, by what their steps say of their verdict. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { rolloutTools } from '../../../../../test/support/steps.ts';

const KEPT = 4;

/** A completion with steps of these scores. */
const stepped = (right: boolean, ...scores: readonly number[]): Rollout => ({
  ...rolloutOf(scores.length + 1, right ? 1 : 0),
  text: `${right ? 'r' : 'w'}${scores.join()}`,
  steps: scores.map((score, i) => ({ from: i, to: i + 1, score })),
});

async function kept(filters: string, rollouts: readonly Rollout[], seed = 'a') {
  const stage = stageOf(
    `num_generations: ${KEPT}`,
    'generation_batch_size: 8',
    `rollout_strategies: [{name: prof, filters: ${filters}}]`,
  );
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const asked: GroupRequest[] = [];
  const next = async (requests: readonly GroupRequest[]) => {
    asked.push(...requests);
    return [groupOf(rollouts)];
  };
  const request = { item: groupOf([]).item, samples: KEPT };
  const [group] = await part.rollOut([request], next, rolloutTools(stage, { rng: rngFor(seed) }));
  return { asked, texts: group.rollouts.map(({ text }) => text) };
}

describe('prof', () => {
  // biome-ignore format: a list
  const rollouts = [
    stepped(true, 1, 1), stepped(false, 1, 0.5), stepped(true, 0, 0.5), stepped(false, 0, 0), stepped(true, 0.5, 1),
    stepped(false, 0, 1), stepped(true, 0), stepped(false, 0.25),
  ];

  it('keeps right completions of good steps and wrong ones of bad steps, half of each, in their order', async () => {
    const { asked, texts } = await kept('both', rollouts);
    expect(asked.map(({ samples }) => samples)).toEqual([2 * KEPT]);
    expect(texts).toEqual(['r1,1', 'w0,0', 'r0.5,1', 'w0.25']);
  });

  it('fills up with the other kind where there are too few, the best of them', async () => {
    const few = [...rollouts.filter(({ reward }) => reward === 0), stepped(true, 0.1)];
    expect((await kept('both', few)).texts).toEqual(['w0,0', 'w0,1', 'w0.25', 'r0.1']);
    expect((await kept('both', rollouts.filter(({ reward }) => reward === 1).concat(rollouts[2]))).texts).not.toContain(
      'r0',
    );
  });

  it('leaves out wrong ones by chance where only the right are filtered', async () => {
    const drawn = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((seed) => kept('right', rollouts, seed)));
    for (const { texts } of drawn) expect(texts.filter((text) => text.startsWith('r'))).toEqual(['r1,1', 'r0.5,1']);
    expect(new Set(drawn.map(({ texts }) => texts.join())).size).toBeGreaterThan(1);
  });

  it('asks for a task whose verdicts have steps', async () => {
    await expect(withTossedRun('rollout_strategies: [prof]', goOn)).rejects.toThrow(
      /^prof: reads the steps of a solution/,
    );
  });

  it('gives the same weights and metrics after a kill', async () => {
    const small = { yaml: STEPS, verify: undefined };
    const { whole, killed } = await wholeAndKilled('', small);
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});

const STEPS = `
task: {name: countdown, numbers: 2, answer: steps}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: 4
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
reward_funcs: [{name: cosine, min_value_wrong: 0, max_value_wrong: 0.5, max_len: 12}]
eval_strategy: "no"
rollout_strategies: [prof]
`;
