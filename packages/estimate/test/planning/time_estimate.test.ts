import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { RolloutStrategy } from '../../../../src/methods/points.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { estimateTime } from '../../time_estimate.ts';

const CONFIG = `
task: {name: reverse_text, min_length: 3, max_length: 4}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.05}
stages:
  - {stage: sft, max_steps: 1, per_device_train_batch_size: 4, learning_rate: 1.0e-3, eval_strategy: "no"}
  - {stage: grpo, max_steps: 40, num_generations: 4, generation_batch_size: 32, per_device_train_batch_size: 16,
     gradient_accumulation_steps: 1, num_iterations: 2, beta: 0.01, dynamic_sampling: refill, eval_steps: 10}
`;

/** Every reading is a quarter of a second after the one before: steps take as many readings as the loop makes. */
function ticking(): () => number {
  let readings = 0;
  return () => 250 * readings++;
}

describe('estimateTime', () => {
  it('measures every stage in whole cycles, short ones too, and leaves the state of the run', async () => {
    const { config } = parseConfig(CONFIG, { file: 'inline' });
    const task = createTasks(config, { heldOutSample: 4 });
    const run = await openRun(config, task, await wasmBackend({ inline: true }), { clock: ticking() });
    const estimate = await estimateTime(run);
    const [sft, grpo] = estimate.stages;
    expect(sft).toMatchObject({ stage: 'sft', steps: 1 });
    expect(grpo).toMatchObject({ stage: 'grpo', steps: 40 });
    expect(grpo!.measured % 4).toBe(0); // two minibatches, two iterations
    expect(estimate.evaluations).toBe(1 + 4);
    const { seconds, secondsPerEvaluation } = estimate;
    expect(seconds).toBeCloseTo(sft!.secondsPerStep + 40 * grpo!.secondsPerStep + 5 * secondsPerEvaluation, 9);
    expect(estimate.completionTokens).toBeGreaterThanOrEqual(4); // letters, and EOS
    expect(estimate.completionTokens).toBeLessThanOrEqual(5);
    expect(run.journal.state).toMatchObject({ stageIndex: 0, step: 0, itemsDrawn: 0 });
    await run.engine.policy.close();
  });

  it('asks for hints as often as a policy does that solves four groups in five, though the timed one solves nothing', async () => {
    const asked: number[] = [];
    const lines = `task: {name: reverse_text, min_length: 3, max_length: 4}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 8}
stages:
  - {stage: grpo, max_steps: 40, num_generations: 4, generation_batch_size: 80, prompt_source: {name: prefilter, problems: 8, samples: 4},
     rollout_strategies: [{name: hint-resample, hint_levels: 2}]}
`;
    const { config } = parseConfig(lines, { file: 'inline' });
    const run = await openRun(config, createTasks(config, { heldOutSample: 4 }), await wasmBackend({ inline: true }), {
      clock: ticking(),
    });
    const [strategy] = run.methods[0]!.rolloutStrategies;
    const { rollOut } = strategy.part;
    const watching: RolloutStrategy['rollOut'] = (requests, next, tools) =>
      rollOut(
        requests,
        (own) => {
          asked.push(own.length);
          return next(own);
        },
        tools,
      );
    Object.assign(strategy, { part: { ...strategy.part, rollOut: watching } });
    const { measured } = (await estimateTime(run)).stages[0];
    await run.engine.policy.close();
    expect(measured).toBeGreaterThan(0);
    const again = asked.filter((count) => count < 20).reduce((sum, count) => sum + count, 0);
    expect(again / asked.filter((count) => count === 20).length).toBeCloseTo(20 * 0.2 * 1.2, 0);
  });

  it.each([
    [
      'methods that change one of several rewards',
      'reward_funcs: [accuracy, {name: similarity, measure: chrf}], group_steps: [{name: noisy-wrapper, false_positive: 0.1}]',
    ],
    ['solutions that are longer than a typical answer', 'rollout_strategies: [scaffold-decay]'],
  ])('measures %s', async (_, keys) => {
    const lines = `task: {name: reverse_text, min_length: 2, max_length: 16}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 8}
stages: [{stage: grpo, max_steps: 40, num_generations: 8, generation_batch_size: 64, ${keys}}]
`;
    const { config } = parseConfig(lines, { file: 'inline' });
    const run = await openRun(config, createTasks(config, { heldOutSample: 4 }), await wasmBackend({ inline: true }), {
      clock: ticking(),
    });
    const [stage] = (await estimateTime(run)).stages;
    await run.engine.policy.close();
    expect(stage?.measured).toBeGreaterThan(0);
  });
});
