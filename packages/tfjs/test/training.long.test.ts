/** Policies on tfjs backends: the numbers of our own kernels, tf.grads' gradients, and no tensor left behind. */

import * as tf from '@tensorflow/tfjs';
import { describe, expect, it } from 'vitest';
import { train } from '../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../../src/model/batch.ts';
import { generate } from '../../../src/model/sampling/generation.ts';
import { loadBackend } from '../../../test/support/backends.ts';
import { TIER } from '../../../test/support/budget.ts';
import { normals } from '../../../test/support/data.ts';
import { openRun, parseConfig } from '../../../test/support/everything.ts';
import { worstRelative as worstOf } from '../../../test/support/golden_model.ts';
import { generationSettings, inCompletionOrder, takeGradients } from '../../../test/support/policies.ts';
import { createTasks } from '../../../test/support/tasks.ts';
import { GROUPS, tenSteps, WITH_EVERYTHING, withPolicy, worstRelative } from '../../../test/support/ten_steps.ts';
import { TFJS_NAMES } from './names.ts';
import { gradientsByTfjs } from './support/tfjs_model.ts';

const SHAPES = [
  ['a plain model', {}],
  ['tied, with biases and q/k norm', WITH_EVERYTHING],
] as const;

describe.each(TFJS_NAMES)('a policy on tfjs:%s', (name) => {
  it.each(SHAPES)('takes ten steps with the losses and gradient norms of wasm within 1e-3: %s', async (_, shape) => {
    const ours = await withPolicy(await wasmBackend({ threads: 1 }), shape, (policy) => tenSteps(policy));
    const theirs = await withPolicy(await loadBackend(`tfjs:${name}`), shape, (policy) => tenSteps(policy));
    expect(worstRelative(theirs.losses, ours.losses)).toBeLessThan(1e-3);
    expect(worstRelative(theirs.gradNorms, ours.gradNorms)).toBeLessThan(1e-3);
  });

  it('keeps the same number of tensors from step to step, and none when it is closed', async () => {
    const backend = await loadBackend(`tfjs:${name}`);
    const before = tf.memory().numTensors;
    const counts: number[] = [];
    await withPolicy(backend, WITH_EVERYTHING, (policy) => tenSteps(policy, () => counts.push(tf.memory().numTensors)));
    // The first two steps fill slots that held zeros.
    expect(new Set(counts.slice(2)).size).toBe(1);
    expect(tf.memory().numTensors).toBe(before);
  });

  it('scores what it sampled with the log-probs that it sampled with, within 1e-3', async () => {
    await withPolicy(await loadBackend(`tfjs:${name}`), WITH_EVERYTHING, async (policy) => {
      const asked = GROUPS.map(({ prompt }, group) => ({ prompt, rolloutNumbers: [2 * group, 2 * group + 1] }));
      const sampling = { temperature: 0.8, topK: 0, topP: 0.95, minP: null };
      const sampled = await generate(policy, asked, generationSettings({ sampling, maxCompletionTokens: 12 }));
      const batch = packBatch(
        asked.map(({ prompt }, i) => ({ prompt, completions: sampled[i].map(({ tokens }) => tokens) })),
      );
      const scored = inCompletionOrder(batch, (await policy.score(batch, 0.8)).logprobs);
      const drawn = sampled.flat().flatMap(({ logprobs }) => [...logprobs]);
      expect(drawn).toHaveLength(scored.length);
      expect(Math.max(...drawn.map((value, i) => Math.abs(value - scored[i])))).toBeLessThan(1e-3);
    });
  });
});

it.each(SHAPES)("the wasm kernels' gradients are tf.grads' of the whole model, within 1e-4: %s", async (_, shape) => {
  await loadBackend(`tfjs:${TFJS_NAMES[0]}`);
  await withPolicy(await wasmBackend({ threads: 1 }), shape, async (policy) => {
    const batch = packBatch(GROUPS);
    const rows = {
      dLogprobs: Float32Array.from(normals([batch.lossRowCount], 21)),
      dEntropies: Float32Array.from(normals([batch.lossRowCount], 22, 0.1)),
    };
    const { logprobs } = await policy.forward(batch, 0.7);
    await policy.backward({ logprobs: rows.dLogprobs, entropies: rows.dEntropies });
    const gradients = await takeGradients(policy);
    const expected = await gradientsByTfjs(policy, await policy.readVector('weights'), batch, 0.7, rows);
    expect(worstOf(logprobs, expected.logprobs)).toBeLessThan(1e-4);
    for (const [parameter, values] of expected.gradients) {
      expect(worstOf(gradients.get(parameter) ?? [], values), parameter).toBeLessThan(1e-4);
    }
  });
});

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

// On the others it would take minutes.
const FAST = TFJS_NAMES.filter((name) => name === 'tensorflow' || (name === 'wasm' && TIER === 'release'));

it.each(FAST)(
  'sorting two digits is learned on tfjs:%s',
  async (name) => {
    const yaml = [
      'task: {name: sort_digits, digits: 2}',
      'model: {hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 64, initializer_range: 0.05}',
      'max_steps: 80\nnum_generations: 8\ngeneration_batch_size: 64\nlearning_rate: 3.0e-3\nreward_funcs: [positions]',
    ].join('\n');
    const { config } = parseConfig(yaml, { file: 'inline' });
    const run = await openRun(config, createTasks(config), await loadBackend(`tfjs:${name}`));
    const rewards: number[] = [];
    try {
      for await (const event of train(run)) if (event.type === 'step') rewards.push(Number(event.metrics.reward));
    } finally {
      await run.engine.policy.close();
    }
    // One digit in ten is right by chance.
    expect(meanOf(rewards.slice(0, 5))).toBeLessThan(0.15);
    expect(meanOf(rewards.slice(-10))).toBeGreaterThan(0.25);
  },
  120_000,
);
