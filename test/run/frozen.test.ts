/** A run that trains a part of its weights is resumed with the same bits: its checkpoint has moments of that part alone. */

import { expect, it } from 'vitest';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { train } from '../../src/grpo/trainer.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { captureCheckpoint } from '../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../src/run/checkpoint/restore.ts';
import { readWeights, weightsSha256 } from '../../src/run/model/model_files.ts';
import { openRun, parseConfig } from '../support/everything.ts';
import { createTasks } from '../support/tasks.ts';

const { config } = parseConfig(
  `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.05}
max_steps: 6
num_generations: 4
generation_batch_size: 16
num_iterations: 2
learning_rate: 1.0e-2
freeze: [embed_tokens, layers.0]
beta: 0.01
reward_funcs: [positions]
eval_strategy: "no"
`,
  { file: 'inline' },
);
const task = createTasks(config, { heldOutSample: 2 });
const isFrozen = (name: string): boolean => /embed_tokens|layers\.0/.test(name);

async function openPart(): Promise<TrainingRun> {
  return openRun(config, task, await wasmBackend({ inline: true }), { clock: () => 0 });
}

/** Trains until so many steps are done. */
async function trainTo(run: TrainingRun, step: number): Promise<void> {
  for await (const event of train(run)) if (event.type === 'step' && event.step === step) return;
}

it('a checkpoint between two updates on one rollout leads to the weights of the run that went on', async () => {
  const [whole, stopped, resumed] = [await openPart(), await openPart(), await openPart()];
  const initial = await readWeights(whole.engine.policy);
  await trainTo(whole, 6);
  await trainTo(stopped, 3);
  const checkpoint = await captureCheckpoint(stopped, { metrics: 0, completions: 0 }, 0);
  const trained = whole.engine.policy.slots.weights.trainable.shape;
  for (const name of ['firstMoment', 'secondMoment', 'reference']) {
    expect(checkpoint.optimizer.find((tensor) => tensor.name === name)?.shape).toEqual(trained);
  }
  restoreCheckpoint(resumed, checkpoint);
  await trainTo(resumed, 6);
  expect(await weightsSha256(resumed.engine.policy)).toBe(await weightsSha256(whole.engine.policy));
  for (const [i, { name, data }] of (await readWeights(whole.engine.policy)).entries()) {
    if (isFrozen(name)) expect(data, name).toEqual(initial[i]?.data);
    else expect(data, name).not.toEqual(initial[i]?.data);
  }
  for (const {
    engine: { policy },
  } of [whole, stopped, resumed])
    await policy.close();
});

it('a part that is no part of the model, or beside an adapter, is refused; and so is one matrix of three that are one', async () => {
  const openFrozen = async (words: string): Promise<TrainingRun> =>
    openRun({ ...config, freeze: words.split(' ') }, task, await wasmBackend({ inline: true }));
  await expect(openFrozen('embed_tokens attention')).rejects.toThrow(
    'freeze: "attention" — no tensor has this in its name',
  );
  await expect(openFrozen('layers.0.self_attn.q_proj')).rejects.toMatchObject({ name: 'ConfigError' });
  await expect(openFrozen('model lm_head')).rejects.toMatchObject({ name: 'ConfigError' });
  const beside = 'task: reverse_text\nmodel_name_or_path: ./base\nuse_peft: true\nfreeze: [mlp]\n';
  expect(() => parseConfig(beside, { file: 'inline' })).toThrow(
    'beside an adapter all weights stay as they are; leave it out, or use_peft',
  );
});
