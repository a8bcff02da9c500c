/** Stages that end at a figure, and that draw from other tasks or levels than those before them. */

import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import { weightedTasks } from '../../src/data/stage_tasks.ts';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { train } from '../../src/grpo/trainer.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { captureCheckpoint } from '../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../src/run/checkpoint/restore.ts';
import { encodeStrictJson } from '../../src/run/json.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import { openRun, parseConfig } from '../support/everything.ts';
import { goOn, withTossedRun } from '../support/killed_runs.ts';
import { createTasks } from '../support/tasks.ts';
import { rewards } from './tiny_stage.ts';

const TWO_LEVELS = `
tasks:
  - {name: sort_digits, digits: 2}
  - {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
num_generations: 4
generation_batch_size: 16
learning_rate: 1.0e-2
reward_funcs: [varied]
eval_strategy: "no"
stages:
  - {stage: sft, max_steps: 1, per_device_train_batch_size: 16, task_weights: {"sort_digits#1": 1}}
  - {stage: grpo, max_steps: 9, until: reward >= 0, task_weights: {"sort_digits#1": 1}}
  - {stage: grpo, max_steps: 2, task_weights: {"sort_digits#1": 0, "sort_digits#2": 2}}
  - {stage: grpo, max_steps: 2}
`;

describe('a stage', () => {
  it('ends where a metric has come so far, and the next one draws from another level', async () => {
    const { config } = parseConfig(TWO_LEVELS, { file: 'run.yaml' });
    const run = await openRun(config, createTasks(config), await wasmBackend({ inline: true, fma: false }), {
      rewards,
    });
    const drawn = new Map<number, Set<string>>();
    const steps = new Map<number, number>();
    for await (const event of train(run)) {
      const { stageIndex } = run.journal.state;
      if (event.type === 'step') steps.set(stageIndex, event.step);
      if (event.type !== 'rollouts') continue;
      const own = drawn.get(stageIndex) ?? new Set();
      for (const { item } of event.collected.groups) own.add(item.task ?? '');
      drawn.set(stageIndex, own);
    }
    expect(Object.fromEntries(steps)).toEqual({ 0: 1, 1: 1, 2: 2, 3: 2 });
    expect(run.journal.state.steering.endings).toMatchObject([
      { stageIndex: 1, step: 1, reason: expect.stringMatching(/^reward is .*, >= 0$/) },
    ]);
    expect([...drawn].map(([stage, labels]) => [stage, [...labels].sort()])).toEqual([
      [1, ['sort_digits#1']],
      [2, ['sort_digits#2']],
      [3, ['sort_digits#1', 'sort_digits#2']],
    ]);
    await run.engine.policy.close();
  });

  it('goes on with the same bits wherever it was killed: within a batch, while it counts, and between two stages', async () => {
    const yaml = TWO_LEVELS.replace(
      'max_steps: 9, until: reward >= 0,',
      'max_steps: 9, num_iterations: 2, controllers: [{name: until, until_metric: loss, until_value: -100, until_times: 3}],',
    ).replace('{stage: grpo, max_steps: 2}', '{stage: grpo, max_steps: 2, num_iterations: 2}');
    const open = async (): Promise<TrainingRun> => {
      const { config } = parseConfig(yaml, { file: 'run.yaml' });
      const backend = await wasmBackend({ inline: true, fma: false });
      return openRun(config, createTasks(config, { heldOutSample: 2 }), backend, { rewards });
    };
    /** Trains on to the end, or for some steps. */
    const goFor = async (run: TrainingRun, steps: number) => {
      const seen: object[] = [];
      for await (const event of train(run)) {
        if (event.type !== 'step') continue;
        const { step_time: _, ...metrics } = event.metrics;
        seen.push(metrics);
        if (seen.length === steps) break;
      }
      return seen;
    };
    const whole = await open();
    const all = await goFor(whole, Number.POSITIVE_INFINITY);
    const sha256 = await weightsSha256(whole.engine.policy);
    expect(all).toHaveLength(1 + 3 + 2 + 2); // the second ends within its second batch
    await whole.engine.policy.close();
    for (const kill of all.slice(0, -1).keys()) {
      const first = await open();
      const before = await goFor(first, kill + 1);
      const checkpoint = await captureCheckpoint(first, { metrics: 0, completions: 0 }, 0);
      await first.engine.policy.close();
      const second = await open();
      restoreCheckpoint(second, { ...checkpoint, state: JSON.parse(encodeStrictJson(checkpoint.state)) });
      expect([...before, ...(await goFor(second, Number.POSITIVE_INFINITY))]).toEqual(all);
      expect(await weightsSha256(second.engine.policy)).toBe(sha256);
      await second.engine.policy.close();
    }
  });

  it('draws as often as its weights say, the same problems for the same seed', () => {
    const { config } = parseConfig(TWO_LEVELS, { file: 'run.yaml' });
    const tasks = createTasks(config);
    const half = weightedTasks(tasks, { 'sort_digits#1': 3, 'sort_digits#2': 1 }, 'task_weights');
    const items = Array.from({ length: 400 }, (_, i) => half.trainItem(5, i));
    const share = items.filter(({ task }) => task === 'sort_digits#1').length / items.length;
    expect(share).toBeGreaterThan(0.68);
    expect(share).toBeLessThan(0.82);
    expect(half.trainItem(5, 17)).toEqual(items[17]);
  });

  it('is refused before step 1 for a task that there is not', async () => {
    const text = TWO_LEVELS.replace('"sort_digits#2": 2', 'countdown: 2');
    const { config } = parseConfig(text, { file: 'run.yaml' });
    const opened = openRun(config, createTasks(config), await wasmBackend({ inline: true, fma: false }), { rewards });
    await expect(opened).rejects.toThrow(
      'stages.2.task_weights: no task of the run is called countdown; they are sort_digits#1, sort_digits#2.',
    );
  });

  it('says what condition it cannot read, and which metric it does not have', async () => {
    const read = (condition: string) =>
      parseConfig(`task: sort_digits\nmax_steps: 3\nuntil: ${condition}`, { file: 'a.yaml' });
    expect(() => read('reward')).toThrow(/a\.yaml:3 {2}until: reward — must be a metric, >= or <=, and a number/);
    expect(resolvedYaml(read('eval_mean@8 <= -0.5').config)).toContain('until: eval_mean@8 <= -0.5');
    await expect(withTossedRun('until: rewards >= 1', goOn)).rejects.toThrow(
      /^until: rewards — no metric of this stage; it logs step, /,
    );
  });

  it('counts in a row, also over evaluations', async () => {
    const twice = 'controllers: [{name: until, until_metric: reward, until_value: -1, until_times: 3}]';
    const { metrics } = await withTossedRun(twice, goOn);
    expect(metrics).toHaveLength(3);
    const evaluated = { overrides: ['eval_strategy=steps', 'eval_steps=1'] };
    expect((await withTossedRun('until: eval_accuracy >= 0', goOn, evaluated)).metrics.length).toBeLessThanOrEqual(1);
  });
});
