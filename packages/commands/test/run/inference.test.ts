/** A run directory opened for inference alone: the policy, without what only training needs. */

import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../../../src/grpo/evaluate.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { Evaluation } from '../../../../src/methods/records.ts';
import { loadLatestCheckpoint } from '../../../../src/run/checkpoint/checkpoints.ts';
import { restoreWeights } from '../../../../src/run/checkpoint/restore.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { loadModel, weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { session } from '../../../../src/run/session.ts';
import { memoryStore } from '../../../../src/run/store/store.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import type { Inference } from '../../../plugins/asked/open_for_inference.ts';
import { openForInference } from '../support/inference.ts';

/** Its checkpoint holds a reference, moments and rollouts with updates to come. */
const { config } = parseConfig(
  `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.05}
stages:
  - {stage: sft, max_steps: 3, per_device_train_batch_size: 4, learning_rate: 1.0e-3, eval_strategy: "no"}
  - {stage: grpo, max_steps: 3, num_generations: 4, generation_batch_size: 16, learning_rate: 1.0e-3, beta: 0.01,
     reward_funcs: [positions], num_iterations: 2, eval_strategy: "no", num_generations_eval: 3}
`,
  { file: 'inline' },
);
const task = createTasks(config, { heldOutSample: 40 });
const store = memoryStore();
const load = { prompts: task.heldOutItems().length, samples: 3 };
let final: Evaluation | undefined;
let sha256: string | undefined;

beforeAll(async () => {
  const run = await openRun(config, task, await wasmBackend({ inline: true }));
  const fingerprint = await fingerprintOf(run);
  const options = { run, store, fingerprint, resume: false, force: false, shouldStop: () => false };
  for await (const event of session(options)) {
    if (event.type === 'finished') sha256 = event.summary.weightsSha256;
  }
  final = run.journal.state.final;
});

async function openLast(): Promise<Inference> {
  return openForInference(config, task, await wasmBackend({ inline: true }), load);
}

describe('a policy opened for inference', () => {
  it('evaluates the model of a run as the run did', async () => {
    const run = await openLast();
    await loadModel(store, 'model/model.safetensors', run.engine.policy);
    expect(
      await evaluate({ engine: run.engine, figures: [], seed: config.seed }, config.stages[config.stages.length - 1]),
    ).toEqual(final);
    await run.engine.policy.close();
  });

  it('takes the weights of a checkpoint and leaves its moments, reference and rollouts', async () => {
    const run = await openLast();
    const latest = await loadLatestCheckpoint(store);
    expect(latest?.checkpoint.optimizer.map(({ name }) => name)).toContain('reference');
    restoreWeights(run.engine.policy, latest!.checkpoint);
    expect(await weightsSha256(run.engine.policy)).toBe(sha256);
    await run.engine.policy.close();
  });

  it('refuses to train', async () => {
    const { policy } = (await openLast()).engine;
    await expect(policy.copySet('reference', 'policy')).rejects.toThrow(/opened for sampling only/);
    await policy.close();
  });
});
