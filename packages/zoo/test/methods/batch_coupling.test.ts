/** Methods with statistics of the whole optimizer step, on the engine that trains: the bits of a run do not tell how it was cut. */
import { describe, expect, it } from 'vitest';
import { killedAndResumed } from '../../../../test/support/killed_runs.ts';
import { finishRun, finishSmallRun, plainWasm } from '../../../../test/support/small_runs.ts';

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
const inMicroBatches = (completions: number) => ({
  yaml: `${SMALL}per_device_train_batch_size: ${completions}\ngradient_accumulation_steps: ${16 / completions}\n`,
});

describe('clip-cov, kl-cov and hinge-kl', () => {
  it('give the same bits in one micro-batch and in several, at each of the steps on a batch of rollouts', async () => {
    const [one, two, four] = [
      await finishSmallRun(await plainWasm(), inMicroBatches(16)),
      await finishSmallRun(await plainWasm(), inMicroBatches(8)),
      await finishSmallRun(await plainWasm(), inMicroBatches(4)),
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
    const { sha256 } = await finishSmallRun(await plainWasm(), { yaml: plain });
    const others = ['token_weights', 'loss_terms'].map((key) => all.replace(new RegExp(`^${key}:.*$`, 'm'), ''));
    for (const yaml of others) expect((await finishSmallRun(await plainWasm(), { yaml })).sha256).not.toBe(sha256);
  });

  it('go on from a checkpoint between two steps of a batch to the same bits', async () => {
    const whole = await finishSmallRun(await plainWasm(), inMicroBatches(8));
    const { resumed } = await killedAndResumed(inMicroBatches(8), (event) => event.type === 'step' && event.step === 2);
    expect((await finishRun(resumed)).sha256).toBe(whole.sha256);
  });
});
