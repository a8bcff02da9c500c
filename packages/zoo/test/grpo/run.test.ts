import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../../src/config/run_config.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { referenceBackend } from '../../../../src/kernels/reference/engine.ts';
import type { StepMetrics } from '../../../../src/methods/records.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import type { RunOptions } from '../../../../src/run/open_run.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { createTask, createTasks, getTaskDefinition } from '../../../../test/support/tasks.ts';
import { bindTask } from '../../data/index.ts';

const firstToken: RewardFunction = {
  name: 'any',
  score: ({ completionTokens }) => completionTokens.map((tokens) => tokens[0] ?? 0),
};

function configOf(rewards: string): RunConfig {
  const yaml = `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 1
num_generations: 2
generation_batch_size: 4
num_generations_eval: 1
reward_funcs: ${rewards}`;
  return parseConfig(yaml, { file: 'inline' }).config;
}

const open = (config: RunConfig, options?: Partial<RunOptions>) =>
  openRun(config, createTasks(config, { heldOutSample: 2 }), referenceBackend, options);

async function firstStep(config: RunConfig, options: Partial<RunOptions>): Promise<StepMetrics> {
  const run = await open(config, options);
  for await (const event of train(run)) if (event.type === 'step') return event.metrics;
  throw new Error('the run took no step');
}

describe('openRun', () => {
  it('makes the reward functions of a stage from their options in the YAML', async () => {
    const run = await open(configOf('[accuracy, {name: soft_overlong, weight: 0.5, max_tokens: 12, cache: 4}]'));
    expect(run.rewards).toHaveLength(1);
    expect(run.rewards[0].map(({ reward, weight }) => [reward.name, weight])).toEqual([
      ['accuracy', 1],
      ['soft_overlong', 0.5],
    ]);
  });

  it('refuses a reward, or an option of one, before anything is allocated', async () => {
    await expect(open(configOf('[acuracy]'))).rejects.toMatchObject({ code: 'unknown-reward' });
    await expect(open(configOf('[{name: accuracy, cach: 4}]'))).rejects.toMatchObject({ code: 'unknown-option' });
  });

  it('takes rewards of its caller, and trains on them under the name that the config gives', async () => {
    const metrics = await firstStep(configOf('[first_token]'), { rewards: { first_token: firstToken } });
    expect(metrics.reward).toBe(metrics['rewards/first_token/mean']);
    expect(metrics.reward).not.toBe(0);
  });

  it('needs to know no reward where none will be read', async () => {
    expect((await open(configOf('[first_token]'), { rewards: 'unused' })).rewards).toEqual([[]]);
  });
});

describe('bindTask', () => {
  it('gives a definition the same task that its registered name gives', () => {
    const bound = bindTask(getTaskDefinition('sort_digits'), { digits: 3 });
    expect(bound.trainItem(0, 5)).toEqual(createTask({ name: 'sort_digits', digits: 3 }).trainItem(0, 5));
  });

  it('checks the knobs', () => {
    expect(() => bindTask(getTaskDefinition('sort_digits'), { digit: 3 })).toThrow('the nearest is digits');
  });
});
