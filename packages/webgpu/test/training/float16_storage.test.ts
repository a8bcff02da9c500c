/** A policy that is kept as float16: the same promises in bits, half the memory, and no overflow that goes unseen. */

import { describe, expect, it } from 'vitest';
import { train } from '../../../../src/grpo/trainer.ts';
import { toHalf } from '../../../../src/kernels/half.ts';
import { ArenaBuilder, type MemoryPlan, type StorageDtype } from '../../../../src/kernels/memory.ts';
import { referenceBackend } from '../../../../src/kernels/reference/engine.ts';
import type { TokenGroup } from '../../../../src/model/batch.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import { planFor } from '../../../../src/model/memory/plan.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import { generateKept } from '../../../../src/model/sampling/generation.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { fixtureIndex } from '../../../../test/support/golden_model.ts';
import {
  bitsOf,
  concatenated,
  generationSettings,
  inCompletionOrder,
  NO_UPDATE,
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
import { webgpuBackend } from '../../backend.ts';
import { openAdapter } from '../support/adapters.ts';

const lavapipe = await openAdapter('lavapipe');
const backendOf = (storageDtype: StorageDtype) => webgpuBackend(lavapipe, { storageDtype });
const backend = await backendOf('float16');

const REQUESTS = GROUPS.map(({ prompt }, group) => ({ prompt, rolloutNumbers: [2 * group, 2 * group + 1] }));
const SAMPLING = { temperature: 0.8, topK: 0, topP: 0.95, minP: null };
const SETTINGS = generationSettings({ sampling: SAMPLING, maxCompletionTokens: 12 });

async function gradientOf(policy: Policy, groups: readonly TokenGroup[]): Promise<Int32Array> {
  const batch = packBatch(groups);
  const fill = (value: number): Float32Array => new Float32Array(batch.lossRowCount).fill(value);
  await policy.accumulate(
    batch,
    SAMPLING.temperature,
    {
      ...{ oldLogprobs: 'current', refLogprobs: undefined, coefficients: fill(1 / batch.lossRowCount) },
      entropyCoefficients: fill(0),
      advantages: Float32Array.from(batch.completionOf, (completion) => (completion % 3) - 1),
    },
    { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.2, clipDelta: null, klCoef: 0 },
  );
  const bits = bitsOf(await policy.readVector('gradients'));
  await policy.optimize(NO_UPDATE);
  return bits;
}

describe.each([
  ['a plain model', {}],
  ['tied, with biases and q/k norm', WITH_EVERYTHING],
])('float16 storage of %s', (_, shape) => {
  it('scores what it sampled with exactly the log-probs that it sampled with, and keeps the forward pass', async () => {
    const policy = await openPolicy(backend, shape, { keptRows: 400 });
    try {
      const gradients: Int32Array[] = [];
      for (let round = 0; round < 2; round++) {
        policy.forgetKept();
        const { completions, places } = await generateKept(policy, REQUESTS, SETTINGS);
        const groups = REQUESTS.map(({ prompt }, i) => ({
          prompt,
          completions: completions[i].map(({ tokens }) => tokens),
        }));
        const batch = packBatch(groups);
        const { logprobs } = await policy.score(batch, SAMPLING.temperature);
        expect(fixtureIndex(batch)).toHaveLength(logprobs.length);
        const sampled = concatenated(completions.flat().map((completion) => completion.logprobs));
        expect(bitsOf(inCompletionOrder(batch, logprobs))).toEqual(bitsOf(sampled));
        await policy.keep(groups, places ?? []);
        gradients.push(await gradientOf(policy, groups));
      }
      // The first time the forward pass is computed again, the second time what was kept stands in for it.
      expect(gradients[1]).toEqual(gradients[0]);
      expect(gradients[0].some((bits) => bits !== 0)).toBe(true);
    } finally {
      await policy.close();
    }
  });

  it('accumulates the same gradient bits whole and in micro-batches', async () => {
    const whole = await gradientsInParts(backend, shape, 400);
    const parts = await gradientsInParts(backend, shape, LARGEST_GROUP);
    expect([whole.parts, parts.parts > 1]).toEqual([1, true]);
    expect(parts.bits).toEqual(whole.bits);
  });

  it('takes ten steps near those of float32, and not the same', async () => {
    const rounded = await withPolicy(backend, shape, tenSteps);
    const exact = await withPolicy(await backendOf('float32'), shape, tenSteps);
    expect(worstRelative(rounded.losses, exact.losses)).toBeLessThan(2e-2);
    expect(worstRelative(rounded.gradNorms, exact.gradNorms)).toBeLessThan(2e-2);
    expect(rounded.losses).not.toEqual(exact.losses);
  });
});

it('takes half the bytes of cache and reference, and less for activations; weights and moments stay whole', async () => {
  const capacity = { ...SMALL_CAPACITY, sets: REFERENCE, keptRows: 400 };
  const bytesOn = (on: typeof backend) => on.plannedBytes(planFor(on, SMALL_SHAPE, capacity).memory);
  const [half, whole] = [bytesOn(backend), bytesOn(await backendOf('float32'))];
  const share = (purpose: string): number => (half.get(purpose) ?? 0) / (whole.get(purpose) ?? 0);
  for (const purpose of ['KV cache', 'reference policy']) expect(share(purpose), purpose).toBeCloseTo(0.5, 3);
  for (const purpose of ['kept rollouts', 'activations']) expect(share(purpose), purpose).toBeLessThan(0.9);
  for (const purpose of ['weights', 'gradients', 'optimizer', 'logits chunk']) expect(share(purpose), purpose).toBe(1);
});

it('takes stored elements as they are, or rounds them, and is refused where the device has no halves', async () => {
  const arena = new ArenaBuilder('halves', 'real', 'weights', { storage: 'f16' });
  const [numbers, stored] = [arena.slot([6]), arena.slot([6])];
  const limits = { rows: 6, context: 6, vocabSize: 6, width: 6, headDim: 2 };
  const plan: MemoryPlan = { arenas: [arena.spec()], matrices: [], limits };
  const engine = await backend.open(plan);
  const values = Float32Array.from([0, 1.5, 1 / 3, -65504, 2 ** -24, 70_000]);
  engine.write(numbers, values);
  const halves = new Uint8Array(toHalf(values).buffer);
  for (const given of [
    { storage: 'f16', bytes: halves },
    { storage: 'f32', bytes: new Uint8Array(values.buffer) },
  ] as const) {
    engine.write(stored, [0, 0, 0, 0, 0, 0]);
    engine.write(stored, given);
    expect(await engine.read(stored)).toEqual(await engine.read(numbers));
  }
  const odd = { storage: 'f16', bytes: halves.subarray(2) } as const;
  expect(() => engine.write(stored, odd, 1)).toThrow('float16 is written in whole pairs');
  await engine.close();
  const whole = await backendOf('float32');
  const written = { ...plan, arenas: plan.arenas.map((spec) => ({ ...spec, purpose: 'activations' })) };
  expect(() => whole.plannedBytes(written)).toThrow(
    "arena 'halves' is planned as f16; the webgpu backend keeps f32, i32.",
  );
  expect(whole.plannedBytes(plan).get('weights')).toBe(48); // frozen ones need no such numbers
});

const YAML = `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 1
num_generations: 2
generation_batch_size: 4
eval_strategy: "no"
num_generations_eval: 1
reward_funcs: [own]
`;
const own: RewardFunction = {
  name: 'own',
  score: ({ completionTokens }) => completionTokens.map(([first = 0]) => first),
};

/** One step from weights whose feed-forward activations are around 10⁵. */
async function stepWithLargeActivations(storageDtype: StorageDtype): Promise<unknown> {
  const { config } = parseConfig(`${YAML}storage_dtype: ${storageDtype}`, { file: 'run.yaml' });
  const task = createTasks(config, { heldOutSample: 2 });
  const run = await openRun(config, task, await backendOf(storageDtype), { rewards: { own } });
  try {
    const weights = await run.engine.policy.readVector('weights');
    for (const { name, slot } of run.engine.policy.parameters) {
      if (!/gate_proj|up_proj/.test(name)) continue;
      const end = slot.offset + slot.shape.reduce((product, size) => product * size, 1);
      for (let i = slot.offset; i < end; i++) weights[i] *= 3e6;
    }
    run.engine.policy.writeVector('weights', weights);
    for await (const event of train(run)) if (event.type === 'step') return event.type;
    return 'no step';
  } finally {
    await run.engine.policy.close();
  }
}

it('stops at the first activation beyond 65504 instead of learning from it', async () => {
  expect(await stepWithLargeActivations('float32')).toBe('step');
  await expect(stepWithLargeActivations('float16')).rejects.toMatchObject({
    name: 'NumericsError',
    code: 'non-finite',
  });
});

it('is refused where an adapter or a backend has no float16, with the way out', async () => {
  const swiftShader = webgpuBackend(await openAdapter('swiftshader'), { storageDtype: 'float16' });
  await expect(swiftShader).rejects.toThrow(
    /^storage_dtype: float16 — SwiftShader.* has no shader-f16; leave the key out/,
  );
  const { config } = parseConfig(`${YAML}storage_dtype: float16`, { file: 'run.yaml' });
  const task = createTasks(config, { heldOutSample: 2 });
  await expect(openRun(config, task, referenceBackend, { rewards: { own } })).rejects.toThrow(
    /^storage_dtype: float16 — the reference backend stores float32; use backend webgpu.*or leave the key out\.$/,
  );
});
