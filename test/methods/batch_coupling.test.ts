/** Methods with statistics of the whole optimizer step, on the engine that trains: the bits of a run do not tell how it was cut. */
import { describe, expect, it } from 'vitest';
import { train } from '../../src/grpo/trainer.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { captureCheckpoint } from '../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../src/run/checkpoint/restore.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import { finishSmallRun, openSmallRun } from '../support/small_runs.ts';

/** Two optimizer steps per batch of rollouts, and two passes: one of four is on-policy. */
const SMALL = `
task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: 6
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 32
num_iterations: 2
reward_funcs: [lcs]
eval_strategy: "no"
token_weights: [{name: clip-cov, clip_cov_share: 0.2, clip_cov_min: 0.01}]
loss_terms: [{name: kl-cov, kl_cov_share: 0.2, kl_cov_coef: 0.3}, {name: hinge-kl, hinge_delta: 0}, positive-nll]
`;
const backend = () => wasmBackend({ inline: true, fma: false });
const inMicroBatches = (completions: number) => ({
  yaml: `${SMALL}per_device_train_batch_size: ${completions}\ngradient_accumulation_steps: ${16 / completions}\n`,
});

describe('clip-cov, kl-cov and hinge-kl', () => {
  it('give the same bits in one micro-batch and in several, at each of the steps on a batch of rollouts', async () => {
    const [one, two, four] = [
      await finishSmallRun(await backend(), inMicroBatches(16)),
      await finishSmallRun(await backend(), inMicroBatches(8)),
      await finishSmallRun(await backend(), inMicroBatches(4)),
    ];
    expect(two.sha256).toBe(one.sha256);
    expect(four.sha256).toBe(one.sha256);
    const drawn = one.metrics.map((step) => Number(step['clip-cov/tokens']));
    expect(Math.min(...drawn)).toBeGreaterThan(1);
    const kl = one.metrics.map((step) => Number(step['hinge-kl/kl']));
    // On-policy at the first step of each batch of rollouts alone.
    expect(kl.map((value) => value > 0)).toEqual([false, true, true, true, false, true]);
  });

  it('change what is learned', async () => {
    const { yaml: all } = inMicroBatches(8);
    const plain = all.replace(/^(?:token_weights|loss_terms):.*$/gm, '');
    const { sha256 } = await finishSmallRun(await backend(), { yaml: plain });
    const others = ['token_weights', 'loss_terms'].map((key) => all.replace(new RegExp(`^${key}:.*$`, 'm'), ''));
    for (const yaml of others) expect((await finishSmallRun(await backend(), { yaml })).sha256).not.toBe(sha256);
  });

  it('go on from a checkpoint between two steps of a batch to the same bits', async () => {
    const whole = await finishSmallRun(await backend(), inMicroBatches(8));
    const first = await openSmallRun(await backend(), inMicroBatches(8));
    for await (const event of train(first)) if (event.type === 'step' && event.step === 2) break;
    const checkpoint = await captureCheckpoint(first, { metrics: 0, completions: 0 }, 0);
    await first.engine.policy.close();
    const again = await openSmallRun(await backend(), inMicroBatches(8));
    restoreCheckpoint(again, checkpoint);
    for await (const event of train(again)) if (event.type === 'end') break;
    expect(await weightsSha256(again.engine.policy)).toBe(whole.sha256);
    await again.engine.policy.close();
  });
});
