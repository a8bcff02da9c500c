/** A run that trains a part of its weights is resumed with the same bits: its checkpoint has moments of that part alone. */
import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { localEngine } from '../../src/grpo/engine.ts';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { train } from '../../src/grpo/trainer.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { initialTensor } from '../../src/model/initialize.ts';
import { Policy } from '../../src/model/policy.ts';
import { captureCheckpoint } from '../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../src/run/checkpoint/restore.ts';
import { readWeights, weightsSha256 } from '../../src/run/model/model_files.ts';
import { openRun } from '../../src/run/open_run.ts';
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
beta: 0.01
reward_funcs: [positions]
eval_strategy: "no"
`,
  { file: 'inline' },
);
const task = createTasks(config, { heldOutSample: 2 });
const isFrozen = (name: string): boolean => /embed_tokens|layers\.0/.test(name);

async function openPart(): Promise<TrainingRun> {
  const backend = await wasmBackend({ inline: true });
  const run = await openRun(config, task, backend, { clock: () => 0 });
  const { capacity, shape } = run.engine.policy;
  await run.engine.policy.close();
  const policy = await Policy.open(backend, shape, capacity, { isTrainable: (name) => !isFrozen(name) });
  for (const parameter of policy.parameters) policy.writeParameter(parameter, initialTensor(shape, parameter, 3, 0.1));
  const { codec } = run.engine.models.policy;
  return { ...run, engine: localEngine({ policy: { policy, codec } }, run.engine.tasks) };
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
