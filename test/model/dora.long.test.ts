/** Adapters with magnitudes: the model of magnitude / ‖W + s·B·A‖ ⊙ (W + s·B·A), in what it scores, samples and learns. */
import { describe, expect, it } from 'vitest';
import { slotLength } from '../../src/kernels/memory.ts';
import { rngFor } from '../../src/kernels/philox.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import type { Storage } from '../../src/kernels/storage.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { ADAPTER_TARGETS, type AdapterSettings, MAGNITUDE } from '../../src/model/adapter.ts';
import { packBatch } from '../../src/model/batch.ts';
import { initialTensor } from '../../src/model/initialize.ts';
import { beginMagnitudes } from '../../src/model/magnitudes.ts';
import { planPolicy } from '../../src/model/memory/plan.ts';
import type { Recompute } from '../../src/model/memory/recompute.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { fewOf } from '../support/budget.ts';
import { normals } from '../support/data.ts';
import {
  accumulate,
  bitsOf,
  NO_UPDATE,
  openPolicy,
  REFERENCE,
  randomGroups,
  SMALL_CAPACITY,
  SMALL_SHAPE,
  sampledAndScored,
  takeGradients,
} from '../support/policies.ts';

/** As Qwen2: biases that are not scaled, and q, k and v that the backward pass makes again. */
const BIASED: Partial<ModelShape> = { attentionBias: true, tieWordEmbeddings: true, intermediateSize: 64 };
const NORMED: Partial<ModelShape> = { ...BIASED, qkNorm: true };
const EVERY_MODULE: AdapterSettings = { rank: 5, scale: 1.25, targets: ADAPTER_TARGETS, useDora: true };
const SOME_MODULES: AdapterSettings = { rank: 4, scale: 2, targets: ['v_proj', 'o_proj', 'gate_proj'], useDora: true };
const CASES = [
  ['every module', EVERY_MODULE, BIASED],
  ['some modules, with a norm of q and k', SOME_MODULES, NORMED],
] as const;

const GROUPS = randomGroups([3, 4, 1, 2], { seed: 7 });
const BATCH = packBatch(GROUPS);
const STEP = { ...NO_UPDATE, learningRate: 5e-3, beta2: 0.99, weightDecay: 0.1, maxGradNorm: 1 };
const wasm = await wasmBackend({ threads: 2 });

const open = (adapter: AdapterSettings, shape: Partial<ModelShape>, backend = wasm): Promise<Policy> =>
  openPolicy(backend, shape, { sets: REFERENCE }, 1, { adapter });

/** The same model without adapters. */
async function openMerged(policy: Policy, { rank, scale }: AdapterSettings, shape: Partial<ModelShape>) {
  const merged = await openPolicy(referenceBackend, shape);
  const read = async (name: string): Promise<ArrayLike<number>> => {
    const all = [...policy.parameters, ...policy.adapterParameters];
    const found = all.find((parameter) => parameter.name === name);
    return found === undefined ? [] : policy.engine.read(found.slot);
  };
  for (const { name, slot } of merged.parameters) {
    const module = name.replace(/\.weight$/, '');
    const values = Float64Array.from(await read(name));
    const magnitude = await read(`${module}.${MAGNITUDE}`);
    const [A, B] = [await read(`${module}.lora_A.weight`), await read(`${module}.lora_B.weight`)];
    const [, inputs] = slot.shape;
    for (let o = 0; o < magnitude.length; o++) {
      const row = values.subarray(o * inputs, (o + 1) * inputs);
      for (let k = 0; k < rank; k++) row.forEach((_, i) => (row[i] += scale * B[o * rank + k] * A[k * inputs + i]));
      const norm = Math.sqrt(row.reduce((sum, value) => sum + value ** 2, 0));
      row.forEach((_, i) => (row[i] *= magnitude[o] / norm));
    }
    merged.engine.write(slot, values);
  }
  return merged;
}

function largestError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  const scale = Math.max(...Array.from(expected, Math.abs), 1e-6);
  return Math.max(...Array.from(expected, (value, i) => Math.abs(value - actual[i]))) / scale;
}

describe.each(CASES)('with magnitudes of %s', (_, adapter, shape) => {
  it('scores are those of the merged model', async () => {
    const policy = await open(adapter, shape, referenceBackend);
    const merged = await openMerged(policy, adapter, shape);
    const [scores, expected] = [await policy.score(BATCH, 0.9), await merged.score(BATCH, 0.9)];
    expect(largestError(scores.logprobs, expected.logprobs)).toBeLessThan(1e-6); // rounded on their way here
    await policy.close();
    await merged.close();
  });

  it('gradients are differences of the score while each norm is held', async () => {
    const policy = await open(adapter, { ...shape, numLayers: 1 }, referenceBackend);
    const batch = packBatch(randomGroups([2, 1], { seed: 4, longest: 5 }));
    const g = Float32Array.from(normals([batch.lossRowCount], 1));
    await policy.forward(batch, 0.9);
    await policy.backward({ logprobs: g });
    const gradients = await takeGradients(policy);
    const { trainable, layers } = policy.slots.weights;
    const weights = Float64Array.from(await policy.engine.read(trainable));
    const scaled = layers.flatMap(({ adapters }) => Object.values(adapters).flatMap(({ parts }) => parts));
    const scales = async () => {
      await policy.score(batch, 0.9); // makes them anew
      return Promise.all(
        scaled.map(async ({ magnitudes }) => Float64Array.from(await policy.engine.read(magnitudes!.columnScale))),
      );
    };
    const before = await scales();
    const scoreAt = async (at: number, value: number, holds: boolean): Promise<number> => {
      policy.writeVector('weights', weights.with(at, value));
      if (holds) {
        const now = await scales();
        scaled.forEach(({ magnitudes }, i) => {
          const { magnitude } = magnitudes!;
          const own = weights.subarray(magnitude.offset, magnitude.offset + slotLength(magnitude));
          policy.engine.write(
            magnitude,
            own.map((m, o) => (m * before[i][o]) / now[i][o]),
          );
        });
        policy.writeParameter(policy.adapterParameters[0], [], 0); // the weights have changed
      }
      await policy.score(batch, 0.9);
      const logprobs = await policy.engine.read(policy.slots.results.logprobs, batch.lossRowCount);
      return g.reduce((sum, weight, row) => sum + weight * logprobs[row], 0);
    };
    for (const { name, slot } of policy.adapterParameters) {
      const own = gradients.get(name) as Float64Array;
      const most = Math.max(...own.map(Math.abs));
      expect(most, name).toBeGreaterThan(1e-3);
      const element = rngFor(name).int(0, own.length - 1);
      const at = slot.offset + element;
      const holds = !name.endsWith(MAGNITUDE);
      const step = 1e-3;
      const difference = async (steps: number): Promise<number> =>
        (await scoreAt(at, weights[at] + steps * step, holds)) - (await scoreAt(at, weights[at] - steps * step, holds));
      const expected = (8 * (await difference(1)) - (await difference(2))) / (12 * step);
      expect(Math.abs(own[element] - expected) / Math.max(most, 1), `${name}[${element}]`).toBeLessThan(1e-7);
    }
    await policy.close();
  });

  it('the sampler is the scorer, to the bit, and a step changes all of the adapter and none of the base', async () => {
    const policy = await open(adapter, shape);
    await policy.copySet('reference', 'policy');
    const scored = await policy.score(BATCH, 0.9);
    const base = await Promise.all(policy.parameters.map((parameter) => policy.readParameter(parameter)));
    const own = await Promise.all(policy.adapterParameters.map((parameter) => policy.readParameter(parameter)));
    await accumulate(policy, BATCH);
    await policy.optimize(STEP);
    for (const [i, parameter] of policy.parameters.entries()) {
      expect(await policy.readParameter(parameter)).toEqual(base[i]);
    }
    for (const [i, parameter] of policy.adapterParameters.entries()) {
      expect(await policy.readParameter(parameter), parameter.name).not.toEqual(own[i]);
    }
    for (const { sampled, scored } of await sampledAndScored(policy, GROUPS, 20)) expect(scored).toEqual(sampled);
    const after = await policy.score(BATCH, 0.9);
    expect(bitsOf((await policy.score(BATCH, 0.9, 'reference')).logprobs)).toEqual(bitsOf(scored.logprobs));
    expect(bitsOf((await policy.score(BATCH, 0.9)).logprobs)).toEqual(bitsOf(after.logprobs));
    expect(bitsOf(after.logprobs)).not.toEqual(bitsOf(scored.logprobs));
    await policy.close();
  });

  it('gradients are those of float64, with the same bits on any threads, and whatever is made again', async () => {
    const gradientsOf = async (threads: number, recompute?: Recompute) => {
      const backend = await wasmBackend({ threads });
      const policy = await openPolicy(backend, shape, recompute ? { recompute } : {}, 1, { adapter });
      await accumulate(policy, BATCH);
      const flat = await policy.readVector('gradients');
      await policy.close();
      return flat;
    };
    const reference = await open(adapter, shape, referenceBackend);
    await accumulate(reference, BATCH);
    const exact = await takeGradients(reference);
    const own = await gradientsOf(2);
    for (const { name, slot } of reference.adapterParameters) {
      const part = own.subarray(slot.offset, slot.offset + slotLength(slot));
      expect(largestError(part, exact.get(name) ?? []), name).toBeLessThan(2e-5);
    }
    await reference.close();
    expect(bitsOf(await gradientsOf(3))).toEqual(bitsOf(own));
    expect(bitsOf(await gradientsOf(1, 'layers'))).toEqual(bitsOf(own));
    expect(bitsOf(await gradientsOf(2, 'nothing'))).toEqual(bitsOf(own));
  });
});

describe('magnitudes', () => {
  it('begin as the norms of the base, and leave the model as it is, to the bit', async () => {
    const [plain, policy] = [await openPolicy(wasm, BIASED), await open(EVERY_MODULE, BIASED)];
    for (const parameter of policy.adapterParameters) {
      policy.writeParameter(parameter, initialTensor(policy.shape, parameter, 3, 0.02));
    }
    await beginMagnitudes(policy);
    const expected = bitsOf((await plain.score(BATCH, 0.9)).logprobs);
    expect(bitsOf((await policy.score(BATCH, 0.9)).logprobs)).toEqual(expected);
    await plain.close();
    await policy.close();
  });

  it.each(fewOf(['q4_0', 'bf16', 'q8_0', 'f16', 'q4_1'] as const, { quick: 1, all: 2 }))(
    'beside a base in %s are those of its values in float32, to the bit',
    async (storage: Storage) => {
      const openStored = (kept: Storage) =>
        openPolicy(wasm, BIASED, {}, 1, {
          adapter: EVERY_MODULE,
          storageOf: (name) => (/norm|bias/.test(name) ? 'f32' : kept),
        });
      const [stored, plain] = [await openStored(storage), await openStored('f32')];
      for (const [i, parameter] of stored.parameters.entries()) {
        plain.writeParameter(plain.parameters[i], await stored.readParameter(parameter));
      }
      const gradients = async (policy: Policy) => {
        await accumulate(policy, BATCH);
        return bitsOf(await policy.readVector('gradients'));
      };
      expect(await gradients(stored)).toEqual(await gradients(plain));
      const [some] = await sampledAndScored(stored, GROUPS.slice(0, 1), 8);
      expect(some.scored).toEqual(some.sampled);
      await stored.close();
      await plain.close();
    },
  );

  it('are not beside a matrix that is trained', () => {
    const trained = { adapter: EVERY_MODULE, isTrainable: () => true };
    expect(() => planPolicy(SMALL_SHAPE, SMALL_CAPACITY, trained)).toThrow('freeze the matrix');
  });

  it('take their vectors, and room for what is scaled, from the plan', () => {
    const bytes = (useDora: boolean) =>
      planPolicy(SMALL_SHAPE, SMALL_CAPACITY, { adapter: { ...EVERY_MODULE, useDora } }).memory.arenas.reduce(
        (sum, { length }) => sum + length,
        0,
      );
    const outputs = SMALL_SHAPE.numLayers * (64 + 32 + 2 * 44 + 32);
    const [widest, inner] = [2 * 44, 3 * 5];
    const room = SMALL_CAPACITY.rows * widest + inner * (widest + inner);
    // The vector, its gradient and moments; norms and scales; every slot begins on a multiple of 16.
    expect(bytes(true) - bytes(false)).toBeGreaterThanOrEqual(6 * outputs + room);
    expect(bytes(true) - bytes(false)).toBeLessThan(1.1 * (6 * outputs + room));
  });
});
