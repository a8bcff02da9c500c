/** A policy whose keys and values are kept as bf16: the same promises in bits, in half of their memory. */
import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import { planFor } from '../../../../src/model/memory/plan.ts';
import { generateKept } from '../../../../src/model/sampling/generation.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import {
  bitsOf,
  concatenated,
  generationSettings,
  inCompletionOrder,
  openPolicy,
  REFERENCE,
  SMALL_CAPACITY,
  SMALL_SHAPE,
} from '../../../../test/support/policies.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import {
  GROUPS,
  gradientsInParts,
  LARGEST_GROUP,
  tenSteps,
  WITH_EVERYTHING,
  withPolicy,
  worstRelative,
} from '../../../../test/support/ten_steps.ts';
import type { RunCard } from '../../cards.ts';
import { classOfBits, openRunModel, storageOfKeys } from '../../open_model.ts';
import { PROTOCOL } from '../../protocol.ts';

const backend = await wasmBackend({ threads: 1, storageDtype: 'bfloat16' });
const exactBackend = await wasmBackend({ threads: 1 });

const REQUESTS = GROUPS.map(({ prompt }, group) => ({ prompt, rolloutNumbers: [2 * group, 2 * group + 1] }));
const SAMPLING = { temperature: 0.8, topK: 0, topP: 0.95, minP: null };
const SETTINGS = generationSettings({ sampling: SAMPLING, maxCompletionTokens: 12 });

it('is opened by a worker as its learner keeps them', async () => {
  const learner = await openPolicy(backend);
  const [{ features, backend: name }, { shape }] = [classOfBits(learner.engine), learner];
  await learner.close();
  const card: RunCard = {
    ...{ protocol: PROTOCOL, version: 'test', run: '0', session: '0', shape, backend: name, features },
    ...{ capacity: { rows: 8, completions: 4, kvRows: 16, context: 8 }, partBytes: 1024 },
  };
  const policy = await openRunModel(card, {
    openBackend: (_, { keys }) => wasmBackend({ threads: 1, storageDtype: storageOfKeys(keys) }),
    openBase: () => Promise.reject(new Error('none')),
  });
  expect(policy.engine.features).toMatchObject({ keys: 'bfloat16' });
  await policy.close();
});

describe.each([
  ['a plain model', {}],
  ['tied, with biases and q/k norm', WITH_EVERYTHING],
])('keys and values in bf16 of %s', (_, shape) => {
  it.each([0, 400])('scores with exactly the log-probs that it sampled with, of %s kept rows', async (keptRows) => {
    const policy = await openPolicy(backend, shape, { keptRows });
    try {
      const { completions, places } = await generateKept(policy, REQUESTS, SETTINGS);
      const groups = REQUESTS.map(({ prompt }, i) => ({
        prompt,
        completions: completions[i].map(({ tokens }) => tokens),
      }));
      const batch = packBatch(groups);
      if (keptRows > 0) await policy.keep(groups, places ?? []);
      const { logprobs } = await policy.score(batch, SAMPLING.temperature);
      const sampled = concatenated(completions.flat().map((completion) => completion.logprobs));
      expect(bitsOf(inCompletionOrder(batch, logprobs))).toEqual(bitsOf(sampled));
    } finally {
      await policy.close();
    }
  });

  it('accumulates the same gradient bits whole, in micro-batches, on two threads and with layers computed again', async () => {
    const whole = await gradientsInParts(backend, shape, 400);
    const parts = await gradientsInParts(backend, shape, LARGEST_GROUP);
    const two = await wasmBackend({ threads: 2, storageDtype: 'bfloat16' });
    const onTwo = await gradientsInParts(two, shape, 400);
    const again = await gradientsInParts(backend, shape, 400, { recompute: 'layers' });
    expect([whole.parts, parts.parts > 1]).toEqual([1, true]);
    for (const { bits } of [parts, onTwo, again]) expect(bits).toEqual(whole.bits);
  });

  it('takes ten steps near those of float32, and not the same', async () => {
    const rounded = await withPolicy(backend, shape, tenSteps);
    const exact = await withPolicy(exactBackend, shape, tenSteps);
    expect(worstRelative(rounded.losses, exact.losses)).toBeLessThan(5e-2);
    expect(worstRelative(rounded.gradNorms, exact.gradNorms)).toBeLessThan(5e-2);
    expect(rounded.losses).not.toEqual(exact.losses);
  });
});

it.each([0, 400])('takes half the bytes of keys and values, with %s kept rows, and all else as it is', (keptRows) => {
  const capacity = { ...SMALL_CAPACITY, sets: REFERENCE, keptRows };
  const plans = [backend, exactBackend].map((on) => ({ on, plan: planFor(on, SMALL_SHAPE, capacity) }));
  const [half, whole] = plans.map(({ on, plan }) => on.plannedBytes(plan.memory));
  const rows = SMALL_SHAPE.numLayers * 2 * SMALL_SHAPE.numKvHeads * SMALL_SHAPE.headDim;
  const saved = (purpose: string): number => (whole.get(purpose) ?? 0) - (half.get(purpose) ?? 0);
  expect(saved('KV cache')).toBe(2 * rows * capacity.kvRows);
  for (const purpose of ['weights', 'reference policy', 'optimizer', 'packed weights'])
    expect(saved(purpose), purpose).toBe(0);
  // Rows of a training batch have keys of their own where rollouts are kept.
  const ofTraining = keptRows === 0 ? 0 : 2 * rows * capacity.rows;
  expect(Math.abs(saved('activations') - ofTraining)).toBeLessThanOrEqual(256);
});

it('is refused where a backend has no such type, with the way out', async () => {
  const yaml = 'task: {name: sort_digits, digits: 3}\nmax_steps: 1\nnum_generations: 2\ngeneration_batch_size: 4\n';
  const opening = async (storage: string, on: typeof backend) => {
    const { config } = parseConfig(`${yaml}storage_dtype: ${storage}`, { file: 'run.yaml' });
    return openRun(config, createTasks(config, { heldOutSample: 2 }), on);
  };
  await expect(opening('float16', exactBackend)).rejects.toThrow(
    /^storage_dtype: float16 — the wasm backend stores float32; set it to bfloat16, use backend webgpu/,
  );
  await expect(opening('bfloat16', referenceBackend)).rejects.toThrow(
    /^storage_dtype: bfloat16 — the reference backend stores float32; use backend wasm, or leave the key out\.$/,
  );
});
