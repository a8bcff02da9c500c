/** A copy of a policy's matrices in 8 bits: sampling from it is sampling from a policy of the rounded weights, to the bit. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import type { Slot } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { STORAGE } from '../../src/kernels/storage.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import { packBatch } from '../../src/model/batch.ts';
import { planFor, type Trained } from '../../src/model/memory/plan.ts';
import type { Policy } from '../../src/model/policy.ts';
import { generateControlled } from '../../src/model/sampling/controlled_generation.ts';
import { type Completion, type GenerationSettings, generate } from '../../src/model/sampling/generation.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import {
  accumulate,
  generationSettings,
  NO_UPDATE,
  openPolicy,
  randomGroups,
  SMALL_CAPACITY,
  SMALL_SHAPE,
} from '../support/policies.ts';
import { WITH_EVERYTHING } from '../support/ten_steps.ts';

const backend = await wasmBackend({ threads: 1 });
const REQUESTS = randomGroups([2, 3, 1], { seed: 5 }).map(({ prompt, completions }, i) => ({
  prompt,
  rolloutNumbers: completions.map((_, k) => 10 * i + k),
}));
const SETTINGS = generationSettings({ maxCompletionTokens: 12 });
const FROM_COPY: GenerationSettings = { ...SETTINGS, fromCopy: true };
const COPY = { rolloutCopy: 'q8_0' } as const;
const LORA: Trained = { adapter: { rank: 3, scale: 1.5, targets: ADAPTER_TARGETS } };

/** Of rows of 44 no copy is made, and none of a table that is read row by row. */
const isCopied = (name: string): boolean => /(?:proj|lm_head)\.weight$/.test(name) && !name.includes('down_proj');

async function opened<T>(policy: Promise<Policy>, work: (policy: Policy) => Promise<T>): Promise<T> {
  const own = await policy;
  try {
    return await work(own);
  } finally {
    await own.close();
  }
}

/** What a policy samples whose weights are those of `policy`, the copied ones rounded. */
async function fromRounded(policy: Policy, { adapter }: Trained = {}, on = backend): Promise<Completion[][]> {
  return opened(openPolicy(on, policy.shape, {}, 1, adapter && { adapter }), async (rounded) => {
    const own = [...policy.parameters, ...policy.adapterParameters];
    for (const [i, to] of [...rounded.parameters, ...rounded.adapterParameters].entries()) {
      const { encode, decode } = STORAGE.q8_0;
      const values = await policy.readParameter(own[i]);
      rounded.writeParameter(to, isCopied(to.name) ? decode(encode(values)) : values);
    }
    return generate(rounded, REQUESTS, SETTINGS);
  });
}

const CASES: readonly (readonly [string, Partial<ModelShape>, Trained | undefined])[] = [
  ['all weights', {}, undefined],
  ['an adapter', {}, LORA],
  ['an adapter over bf16', {}, { ...LORA, storageOf: (name) => (/norm/.test(name) ? 'f32' : 'bf16') }],
  ['biases and q/k norm', { ...WITH_EVERYTHING, tieWordEmbeddings: false }, undefined],
];

describe.each(CASES)('%s', (_, shape, trained) => {
  it('samples as a policy of the rounded weights, and else is the policy', async () => {
    const plain = await opened(openPolicy(backend, shape, {}, 1, trained), (policy) =>
      generate(policy, REQUESTS, SETTINGS),
    );
    await opened(openPolicy(backend, shape, COPY, 1, trained), async (policy) => {
      const sampled = await generate(policy, REQUESTS, FROM_COPY);
      expect(sampled).toEqual(await fromRounded(policy, trained));
      expect(sampled).not.toEqual(plain);
      expect(await generate(policy, REQUESTS, SETTINGS)).toEqual(plain);
    });
  });
});

it('rounds a tied head, and not the rows that tokens are looked up in', async () => {
  await opened(openPolicy(backend, { tieWordEmbeddings: true }, COPY), async (policy) => {
    const { copy, weights } = policy.slots;
    expect(copy?.weights.embedding).toBe(weights.embedding);
    expect(copy?.weights.head).not.toEqual(weights.head);
    expect(copy?.weights.layers.map(({ down }) => down)).toEqual(weights.layers.map(({ down }) => down));
  });
});

it.each([undefined, LORA])('is made again where weights have changed, and only of these: %o', async (trained) => {
  await opened(openPolicy(backend, {}, COPY, 1, trained), async (policy) => {
    const before = await generate(policy, REQUESTS, FROM_COPY);
    const write = policy.engine.write.bind(policy.engine);
    let written = 0;
    policy.engine.write = (slot: Slot, ...values) => {
      if (slot.arena === 'rolloutCopy') written++;
      write(slot, ...values);
    };
    await accumulate(policy, packBatch(randomGroups([3])));
    await policy.optimize({ ...NO_UPDATE, learningRate: 0.1 });
    const after = await generate(policy, REQUESTS, FROM_COPY);
    expect(written > 0).toBe(trained === undefined);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await fromRounded(policy, trained));
    const [one] = policy.parameters.filter(({ name }) => name.includes('k_proj'));
    written = 0;
    policy.writeParameter(one, new Float32Array(one.slot.shape[0] * one.slot.shape[1]).fill(0.5));
    expect(await generate(policy, REQUESTS, FROM_COPY)).toEqual(await fromRounded(policy, trained));
    expect(written).toBe(1);
  });
});

/** Node has them from version 24 on. */
const longAddresses = { threads: 2, memory64: Number.parseInt(process.versions.node, 10) >= 24 };

it.each([
  ['three threads', { threads: 3 }],
  ['64-bit addresses', longAddresses],
  ['128 bits', { threads: 1, wide: false }],
])('samples the same bits with %s', async (_, options) => {
  const of = (on: Backend) => opened(openPolicy(on, {}, COPY), (policy) => generate(policy, REQUESTS, FROM_COPY));
  expect(await of(await wasmBackend(options))).toEqual(await of(backend));
});

it('draws among what is kept by the distributions of the copy', async () => {
  const [top, outputs] = [{ temperature: 0.9, topK: 4, topP: 1, minP: null }, { outputRows: { distributions: 64 } }];
  const controlled = (policy: Policy, fromCopy: boolean) =>
    generateControlled(
      policy,
      REQUESTS,
      { ...SETTINGS, sampling: top, fromCopy },
      {
        after: () => undefined,
        isTruncated: true,
      },
    );
  await opened(openPolicy(backend, {}, { ...COPY, ...outputs }), async (policy) => {
    const sampled = await controlled(policy, true);
    await opened(openPolicy(backend, {}, outputs), async (rounded) => {
      for (const [i, to] of rounded.parameters.entries()) {
        const values = await policy.readParameter(policy.parameters[i]);
        const { encode, decode } = STORAGE.q8_0;
        rounded.writeParameter(to, isCopied(to.name) ? decode(encode(values)) : values);
      }
      expect(sampled).toEqual(await controlled(rounded, false));
    });
  });
});

it('is planned as 34 bytes for 32 weights, and nothing besides', () => {
  const plan = (capacity: object) => planFor(backend, SMALL_SHAPE, { ...SMALL_CAPACITY, ...capacity });
  const { slots, memory } = plan(COPY);
  const numbers = slots.copy?.matrices.reduce((sum, { to }) => sum + to.shape[0] * to.shape[1], 0) ?? 0;
  const bytes = backend.plannedBytes(memory);
  expect(bytes.get('rollout copy')).toBeGreaterThanOrEqual((numbers / 32) * 34);
  expect(bytes.get('rollout copy')).toBeLessThan((numbers / 32) * 34 + 192);
  const without = backend.plannedBytes(plan({}).memory);
  for (const [purpose, size] of without) if (purpose !== 'scratch') expect(bytes.get(purpose), purpose).toBe(size);
});

it('is refused of a model that it could copy nothing of, and of a policy without one', async () => {
  const inBlocks: Trained = { ...LORA, storageOf: (name) => (isCopied(name) ? 'q8_0' : 'f32') };
  await expect(openPolicy(backend, {}, COPY, 1, inBlocks)).rejects.toThrow(/lie in blocks already/);
  await expect(openPolicy(backend, { hiddenSize: 24, headDim: 6 }, COPY)).rejects.toThrow(/not whole blocks of 32/);
  await opened(openPolicy(backend), async (policy) => {
    await expect(generate(policy, REQUESTS, FROM_COPY)).rejects.toThrow('opened without a copy');
  });
});

it('is the same in float64', async () => {
  await opened(openPolicy(referenceBackend, {}, COPY), async (policy) => {
    const sampled = await generate(policy, REQUESTS, FROM_COPY);
    expect(sampled).toEqual(await fromRounded(policy, undefined, referenceBackend));
  });
});
