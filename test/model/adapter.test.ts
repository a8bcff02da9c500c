/** Low-rank adapters: a model with them is the model of W + s·B·A, in what it scores, samples and learns. */
import { describe, expect, it } from 'vitest';
import { slotLength } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { AdapterSettings } from '../../src/model/adapter.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import { packBatch } from '../../src/model/batch.ts';
import { initialTensor } from '../../src/model/initialize.ts';
import { planPolicy, type Trained } from '../../src/model/memory/plan.ts';
import type { Recompute } from '../../src/model/memory/recompute.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import {
  accumulate,
  bitsOf,
  NO_UPDATE,
  openPolicy,
  REFERENCE,
  randomDerivatives,
  randomGroups,
  SMALL_CAPACITY,
  SMALL_SHAPE,
  sampledAndScored,
  takeGradients,
} from '../support/policies.ts';

/** As Qwen2 and Qwen3 together: every kind of tensor, with a feed-forward size that no SIMD tile divides. */
const ALL_KINDS: Partial<ModelShape> = { attentionBias: true, qkNorm: true, tieWordEmbeddings: true };
const EVERY_MODULE: AdapterSettings = { rank: 5, scale: 1.25, targets: ADAPTER_TARGETS };
const SOME_MODULES: AdapterSettings = { rank: 4, scale: 2, targets: ['down_proj', 'v_proj', 'gate_proj', 'q_proj'] };
const CASES = [
  ['every module', EVERY_MODULE],
  ['some modules', SOME_MODULES],
] as const;

const GROUPS = randomGroups([3, 4, 1, 2], { seed: 7 });
const BATCH = packBatch(GROUPS);
const DERIVATIVES = randomDerivatives(BATCH);
const STEP = { ...NO_UPDATE, learningRate: 5e-3, beta2: 0.99, weightDecay: 0.1, maxGradNorm: 1 };

const wasm = await wasmBackend({ threads: 2 });
const openAdapted = (adapter: AdapterSettings, backend = wasm): Promise<Policy> =>
  openPolicy(backend, ALL_KINDS, { sets: REFERENCE }, 1, { adapter });

type Tensors = ReadonlyMap<string, ArrayLike<number>>;

/** In the engine's precision. */
async function tensorsOf(policy: Policy): Promise<Tensors> {
  const all = [...policy.parameters, ...policy.adapterParameters];
  return new Map(await Promise.all(all.map(async ({ name, slot }) => [name, await policy.engine.read(slot)] as const)));
}

/** a [M, K] times b [K, N], either of them transposed where it is stored the other way round. */
function product(M: number, K: number, N: number, a: (m: number, k: number) => number, b: typeof a): Float64Array {
  return Float64Array.from({ length: M * N }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < K; k++) sum += a(Math.floor(i / N), k) * b(k, i % N);
    return sum;
  });
}

/** Of each adapted module: its weight's name and size, A [rank, K] and B [M, rank]. */
function modulesOf(policy: Policy, tensors: Tensors, { rank }: AdapterSettings) {
  const ofA = policy.adapterParameters.filter(({ name }) => name.endsWith('.lora_A.weight'));
  return ofA.map(({ name }) => {
    const weight = name.replace('lora_A.', '');
    const [nameB, A] = [name.replace('lora_A', 'lora_B'), tensors.get(name) as ArrayLike<number>];
    const B = tensors.get(nameB) as ArrayLike<number>;
    const [M, K] = [B.length / rank, A.length / rank];
    const a = (k: number, n: number): number => A[k * K + n];
    const b = (m: number, k: number): number => B[m * rank + k];
    return { weight, nameA: name, nameB, M, K, a, b };
  });
}

/** The same model without adapters: W + s·B·A of each module, everything trained. */
async function openMerged(policy: Policy, adapter: AdapterSettings): Promise<Policy> {
  const merged = await openPolicy(referenceBackend, ALL_KINDS, { sets: REFERENCE });
  const tensors = await tensorsOf(policy);
  const modules = modulesOf(policy, tensors, adapter);
  for (const { name, slot } of merged.parameters) {
    const values = Float64Array.from(tensors.get(name) as ArrayLike<number>);
    const module = modules.find(({ weight }) => weight === name);
    if (module !== undefined) {
      const change = product(module.M, adapter.rank, module.K, module.b, module.a);
      change.forEach((value, i) => {
        values[i] += adapter.scale * value;
      });
    }
    merged.engine.write(slot, values);
  }
  return merged;
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, relative: number, what: string): void {
  expect(actual.length, what).toBe(expected.length);
  const scale = Math.max(...Array.from(expected, Math.abs), 1e-6);
  const error = Math.max(...Array.from(expected, (value, i) => Math.abs(value - actual[i])));
  expect(error / scale, what).toBeLessThan(relative);
}

describe.each(CASES)('with adapters beside %s', (_, adapter) => {
  it('scores are those of W + s·B·A, and gradients s·Bᵀ·dW and s·dW·Aᵀ', async () => {
    const policy = await openAdapted(adapter, referenceBackend);
    const merged = await openMerged(policy, adapter);
    const [scores, expected] = [await policy.score(BATCH, 0.9), await merged.score(BATCH, 0.9)];
    expectClose(scores.logprobs, expected.logprobs, 1e-6, 'log-probs'); // rounded to float32 on their way here
    await accumulate(policy, BATCH);
    await accumulate(merged, BATCH);
    const [gradients, full] = [await takeGradients(policy), await takeGradients(merged)];
    const modules = modulesOf(policy, await tensorsOf(policy), adapter);
    expect([...gradients.keys()].sort()).toEqual(modules.flatMap(({ nameA, nameB }) => [nameA, nameB]).sort());
    expect(modules).toHaveLength(adapter.targets.length * SMALL_SHAPE.numLayers);
    for (const { weight, nameA, nameB, M, K, a, b } of modules) {
      const dW = full.get(weight) as Float64Array;
      const d = (m: number, k: number): number => adapter.scale * dW[m * K + k];
      const dA = product(adapter.rank, M, K, (r, m) => b(m, r), d);
      const dB = product(M, K, adapter.rank, d, (k, r) => a(r, k));
      expectClose(gradients.get(nameA) as Float64Array, dA, 1e-9, nameA);
      expectClose(gradients.get(nameB) as Float64Array, dB, 1e-9, nameB);
    }
    await policy.close();
    await merged.close();
  });

  it('a step changes the adapters, and no bit of the model; the reference keeps those of before', async () => {
    const policy = await openAdapted(adapter);
    await policy.copySet('reference', 'policy');
    const before = await tensorsOf(policy);
    const scored = await policy.score(BATCH, 0.9);
    await accumulate(policy, BATCH);
    await policy.optimize(STEP);
    for (const [name, after] of await tensorsOf(policy)) {
      if (name.includes('.lora_')) expect(after, name).not.toEqual(before.get(name));
      else expect(after, name).toEqual(before.get(name));
    }
    expect(bitsOf((await policy.score(BATCH, 0.9, 'reference')).logprobs)).toEqual(bitsOf(scored.logprobs));
    expect(bitsOf((await policy.score(BATCH, 0.9)).logprobs)).not.toEqual(bitsOf(scored.logprobs));
    await policy.close();
  });

  it('the sampler is the scorer, to the bit', async () => {
    const policy = await openAdapted(adapter);
    for (const { sampled, scored } of await sampledAndScored(policy, GROUPS, 20)) expect(scored).toEqual(sampled);
    await policy.close();
  });

  it('gradients have the same bits in one batch or several, on one thread or three', async () => {
    const gradientsOf = async (threads: number, cuts: readonly (typeof GROUPS)[]): Promise<Map<string, Int32Array>> => {
      const policy = await openAdapted(adapter, await wasmBackend({ threads }));
      const whole = BATCH.lossRowCount;
      let at = 0;
      for (const groups of cuts) {
        const batch = packBatch(groups);
        await policy.forward(batch, 0.9);
        const past = at + batch.lossRowCount;
        await policy.backward({
          logprobs: DERIVATIVES.logprobs.subarray(at, past),
          entropies: DERIVATIVES.entropies.subarray(at, past),
        });
        at = past;
      }
      expect(at).toBe(whole);
      const gradients = await takeGradients(policy);
      await policy.close();
      return new Map([...gradients].map(([name, values]) => [name, bitsOf(values as Float32Array)]));
    };
    const expected = await gradientsOf(2, [GROUPS]);
    expect(
      await gradientsOf(
        1,
        GROUPS.map((group) => [group]),
      ),
    ).toEqual(expected);
    expect(await gradientsOf(3, [GROUPS.slice(0, 1), GROUPS.slice(1)])).toEqual(expected);
  });
});

describe('the adapters of a stage begin', () => {
  const { slots } = planPolicy({ ...SMALL_SHAPE, ...ALL_KINDS }, SMALL_CAPACITY, { adapter: EVERY_MODULE });
  const drawn = (seed: number) =>
    slots.weights.adapterParameters.map((parameter) => initialTensor(SMALL_SHAPE, parameter, seed, 0.02));

  it('with A uniform in ±1/√in and B 0, by seed and name', () => {
    slots.weights.adapterParameters.forEach(({ name, slot }, i) => {
      const values = drawn(3)[i];
      expect(values).toHaveLength(slotLength(slot));
      const bound = name.includes('.lora_A.') ? 1 / Math.sqrt(slot.shape[1]) : 0;
      const most = Math.max(...values.map(Math.abs));
      expect(most, name).toBeLessThanOrEqual(Math.fround(bound));
      if (bound > 0) expect(most, name).toBeGreaterThan(0.9 * bound);
    });
    expect(drawn(3)).toEqual(drawn(3));
    const firsts = drawn(3)
      .filter((values) => values.some((value) => value !== 0))
      .map(([first]) => first);
    expect(new Set([...firsts, ...drawn(4).map(([first]) => first)]).size).toBe(2 * firsts.length + 1);
  });

  it('and leave the model as it is, to the bit', async () => {
    const [plain, adapted] = [await openPolicy(wasm, ALL_KINDS), await openAdapted(EVERY_MODULE)];
    for (const parameter of adapted.adapterParameters) {
      adapted.writeParameter(parameter, initialTensor(adapted.shape, parameter, 3, 0.02));
    }
    const expected = bitsOf((await plain.score(BATCH, 0.9)).logprobs);
    expect(bitsOf((await adapted.score(BATCH, 0.9)).logprobs)).toEqual(expected);
    await plain.close();
    await adapted.close();
  });

  it('only beside what there is', () => {
    const plan = (change: Partial<AdapterSettings>) => () =>
      planPolicy(SMALL_SHAPE, SMALL_CAPACITY, { adapter: { ...EVERY_MODULE, ...change } });
    expect(plan({ rank: 0 })).toThrow('a rank of 0');
    expect(plan({ scale: Number.NaN })).toThrow('a scale of NaN');
    expect(plan({ targets: [] })).toThrow('no modules');
  });
});

describe('what the backward pass makes again', () => {
  const gradientsWith = async (recompute: Recompute, trained?: Trained) => {
    const policy = await openPolicy(wasm, ALL_KINDS, { recompute }, 1, trained);
    await accumulate(policy, BATCH);
    const gradients = bitsOf(await policy.readVector('gradients'));
    const { bytes } = policy.engine;
    await policy.close();
    return { gradients, bytes };
  };

  it.each([
    ['all weights', undefined],
    ['an adapter', { adapter: SOME_MODULES }],
  ] as const)('is a choice of the plan that changes no bit and saves memory: %s', async (_, trained) => {
    const kept = await gradientsWith('nothing', trained);
    const cheap = await gradientsWith('elementwise', trained);
    const layers = await gradientsWith('layers', trained);
    expect(cheap.gradients).toEqual(kept.gradients);
    expect(layers.gradients).toEqual(kept.gradients);
    expect(cheap.bytes).toBeLessThan(kept.bytes);
    expect(layers.bytes).toBeLessThan(cheap.bytes);
  });

  it('is by default what is cheap beside an adapter, and nothing else', () => {
    const chosen = (trained?: Trained) => planPolicy(SMALL_SHAPE, SMALL_CAPACITY, trained).recompute;
    expect([chosen(), chosen({ adapter: SOME_MODULES })]).toEqual(['nothing', 'elementwise']);
  });
});
