/** Frozen tensors: no bit of them changes, nothing is planned for their training, and the others train as if alone. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import { planPolicy } from '../../src/model/memory/plan.ts';
import type { OptimizerSettings } from '../../src/model/optimizer.ts';
import type { IsTrainable } from '../../src/model/parameters.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import {
  accumulate,
  bitsOf,
  openPolicy,
  REFERENCE,
  randomGroups,
  SMALL_CAPACITY,
  SMALL_SHAPE,
  sampledAndScored,
  takeGradients,
} from '../support/policies.ts';

const UNTIED: Partial<ModelShape> = { numLayers: 3 };
const TIED: Partial<ModelShape> = { numLayers: 3, tieWordEmbeddings: true };
/** As Qwen3 and Qwen2 together: every kind of tensor. */
const ALL_KINDS: Partial<ModelShape> = { numLayers: 3, attentionBias: true, qkNorm: true };

const isEmbedding = (name: string): boolean => name === 'model.embed_tokens.weight';
const isOfLayer = (name: string, layer: number): boolean => name.startsWith(`model.layers.${layer}.`);
const isVector = (name: string): boolean => /norm\.weight$/.test(name);

/** What is frozen, with the shape. */
const CASES: readonly (readonly [string, Partial<ModelShape>, (name: string) => boolean])[] = [
  ['the embedding', UNTIED, isEmbedding],
  ['an embedding that is the head, too', TIED, isEmbedding],
  ['the head', UNTIED, (name) => name === 'lm_head.weight'],
  ['the embedding and the lowest layer', UNTIED, (name) => isEmbedding(name) || isOfLayer(name, 0)],
  ['a layer in the middle, and biases and head norms with it', ALL_KINDS, (name) => isOfLayer(name, 1)],
  ['all norms', ALL_KINDS, isVector],
  ['all but the q/k norms of the highest layer', ALL_KINDS, (name) => !/layers\.2.*[qk]_norm/.test(name)],
  ['all but the head', UNTIED, (name) => name !== 'lm_head.weight'],
  ['all but the q/k/v of a layer', UNTIED, (name) => !/layers\.1\.self_attn\.[qkv]_proj/.test(name)],
];

const GROUPS = randomGroups([3, 4, 1, 2], { seed: 7 });
const BATCH = packBatch(GROUPS);

const optimizerAt = (adamStep: number): OptimizerSettings => ({
  learningRate: 5e-3,
  beta1: 0.9,
  beta2: 0.99,
  adamEps: 1e-8,
  weightDecay: 0.1,
  maxGradNorm: 1,
  adamStep,
});

const wasm = await wasmBackend({ threads: 2 });

async function openFrozen(shape: Partial<ModelShape>, isTrainable?: IsTrainable, seed = 1): Promise<Policy> {
  return openPolicy(wasm, shape, { sets: REFERENCE }, seed, { isTrainable });
}

async function weightsOf(policy: Policy): Promise<Map<string, Int32Array>> {
  const named = policy.parameters.map(
    async (parameter) => [parameter.name, bitsOf(await policy.readParameter(parameter))] as const,
  );
  return new Map(await Promise.all(named));
}

describe.each(CASES)('with %s frozen', (_, shape, isFrozen) => {
  const isTrainable: IsTrainable = (name) => !isFrozen(name);

  it('steps change every other tensor, and no bit of these', async () => {
    const policy = await openFrozen(shape, isTrainable);
    const before = await weightsOf(policy);
    for (let step = 1; step <= 3; step++) {
      await accumulate(policy, BATCH);
      await policy.optimize(optimizerAt(step));
    }
    for (const [name, after] of await weightsOf(policy)) {
      if (isFrozen(name)) expect(after, name).toEqual(before.get(name));
      else expect(after, name).not.toEqual(before.get(name));
    }
    await policy.close();
  });

  it('the others have the gradients that they have where all are trained, to the bit', async () => {
    const [some, all] = [await openFrozen(shape, isTrainable), await openFrozen(shape)];
    for (const policy of [some, all]) {
      await accumulate(policy, BATCH);
      await accumulate(policy, BATCH);
    }
    const [gradients, expected] = [await takeGradients(some), await takeGradients(all)];
    expect([...gradients.keys()]).toEqual(some.parameters.map(({ name }) => name).filter(isTrainable));
    for (const [name, values] of gradients) expect(values, name).toEqual(expected.get(name));
    await some.close();
    await all.close();
  });

  it('the sampler is the scorer, and the reference the policy before the step, to the bit', async () => {
    const policy = await openFrozen(shape, isTrainable);
    await policy.copySet('reference', 'policy');
    const before = await policy.score(BATCH, 0.9);
    await accumulate(policy, BATCH);
    await policy.optimize(optimizerAt(1));
    const reference = await policy.score(BATCH, 0.9, 'reference');
    expect(bitsOf(reference.logprobs)).toEqual(bitsOf(before.logprobs));
    for (const { sampled, scored } of await sampledAndScored(policy, GROUPS, 20)) expect(scored).toEqual(sampled);
    await policy.close();
  });

  it('gradients, moments and reference are planned for the others alone', () => {
    const capacity = { ...SMALL_CAPACITY, sets: REFERENCE };
    const plan = planPolicy({ ...SMALL_SHAPE, ...shape }, capacity, { isTrainable });
    const lengths = new Map(plan.memory.arenas.map(({ name, length }) => [name, length]));
    const numbersOf = (keep: IsTrainable): number =>
      plan.slots.weights.parameters
        .filter(({ name }) => keep(name))
        .reduce((sum, { slot }) => sum + slot.shape.reduce((product, size) => product * size, 1), 0);
    const padding = 16 * plan.slots.weights.parameters.length;
    for (const name of ['weights', 'gradients', 'firstMoment', 'secondMoment', 'reference']) {
      expect(lengths.get(name)).toBeLessThan(numbersOf(isTrainable) + padding);
    }
    const frozen = (lengths.get('frozen') ?? 0) + (lengths.get('frozenMatrices') ?? 0);
    expect(frozen).toBeLessThan(numbersOf(isFrozen) + padding);
    expect(lengths.has('embeddingGradient')).toBe(
      shape.tieWordEmbeddings === true && !isFrozen('model.embed_tokens.weight'),
    );
  });
});

describe('a choice of what is trained', () => {
  it('leaves the plan as it is where that is all', () => {
    const shape = { ...SMALL_SHAPE, ...ALL_KINDS };
    expect(planPolicy(shape, SMALL_CAPACITY, { isTrainable: () => true })).toEqual(planPolicy(shape, SMALL_CAPACITY));
    expect(planPolicy(shape, SMALL_CAPACITY).memory.arenas.map(({ name }) => name)).not.toContain('frozen');
  });

  it('is nothing in a policy that only samples, so that wasm holds its matrices packed alone', () => {
    const plan = planPolicy({ ...SMALL_SHAPE, ...ALL_KINDS }, { ...SMALL_CAPACITY, training: false });
    const { head, trainable } = plan.slots.weights;
    expect(trainable.shape).toEqual([0]);
    expect(plan.memory.arenas.find(({ name }) => name === head.arena)?.packedAlone).toBe(true);
  });

  it('packs matrices below the lowest trained layer for the forward pass alone', () => {
    const isTrainable: IsTrainable = (name) => isOfLayer(name, 1);
    const { slots, memory } = planPolicy({ ...SMALL_SHAPE, ...UNTIED }, SMALL_CAPACITY, { isTrainable });
    const usesOf = (layer: number): readonly string[] | undefined =>
      memory.matrices.find(({ slot }) => slot === slots.weights.layers[layer]?.qkv)?.uses;
    expect([0, 1, 2].map(usesOf)).toEqual([['forward'], ['forward', 'backward'], ['forward', 'backward']]);
  });

  it.each([
    ['part of q, k and v', /frozen, and .*k_proj\.weight is trained/, (name: string) => /k_proj\.weight/.test(name)],
    ['gate without up', /up_proj\.weight: frozen, and .*gate_proj/, (name: string) => !/up_proj/.test(name)],
    ['the biases of a frozen matrix', /frozen, and .*bias is trained/, (name: string) => /bias/.test(name)],
    ['nothing', /every tensor is frozen/, () => false],
  ])('is refused where it is %s', (_, message, isTrainable: IsTrainable) => {
    expect(() => planPolicy({ ...SMALL_SHAPE, ...ALL_KINDS }, SMALL_CAPACITY, { isTrainable })).toThrow(message);
  });
});
