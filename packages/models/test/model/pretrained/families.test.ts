/** Families that differ from Llama, as transformers computes them in float64: scores, gradients, sampling, and config.json. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../../src/kernels/engine.ts';
import { referenceBackend } from '../../../../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../../../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import type { Recompute } from '../../../../../src/model/memory/recompute.ts';
import { Policy } from '../../../../../src/model/policy.ts';
import { writeModelConfig } from '../../../../../src/run/model/model_files.ts';
import { memoryStore } from '../../../../../src/run/store/store.ts';
import { closedCodec } from '../../../../../src/text/codec.ts';
import { characterTokenizer } from '../../../../../src/text/vocabulary_tokenizer.ts';
import { loadGoldenModel, worstRelative } from '../../../../../test/support/golden_model.ts';
import { sampledAndScored, takeGradients } from '../../../../../test/support/policies.ts';
import { readModelConfig } from '../../../model/pretrained/config_json.ts';
import { takenApart } from '../../../model/pretrained/fused.ts';
import { loadPretrained } from '../../../model/pretrained/load_weights.ts';
import { allValues, type PretrainedTensor } from '../../../model/pretrained/source.ts';

const FAMILIES = ['gemma3', 'gemma3_window', 'granite', 'granite4', 'smollm3', 'phi3', 'llama_yarn'] as const;

/** Bounds relative to the largest value: the reference computes in float64, wasm in float32. */
const backends: [string, () => Promise<Backend>, number, number][] = [
  ['reference', async () => referenceBackend, 2e-7, 2e-7],
  ['wasm', () => wasmBackend({ threads: 2 }), 1e-6, 3e-6],
];

const CAPACITY = { rows: 32, lossRows: 32, groups: 4, completions: 8, kvRows: 64, context: 16 };

const goldenOf = (name: (typeof FAMILIES)[number]) => loadGoldenModel(name, (config) => readModelConfig(config).shape);

/** Tensors as a file has them. */
function tensorsOf(values: ReadonlyMap<string, Float64Array>, golden: ReturnType<typeof goldenOf>) {
  const { hiddenSize, intermediateSize, numHeads, headDim } = golden.shape;
  const tensors = [...values].map(([name, data]): [string, PretrainedTensor] => {
    const width = /down_proj|output_linear/.test(name)
      ? intermediateSize
      : name.includes('o_proj')
        ? numHeads * headDim
        : hiddenSize;
    const shape = name.endsWith('norm.weight') ? [data.length] : [data.length / width, width];
    return [name, { shape, file: 'golden', read: async (take) => take(Float32Array.from(data), 0) }];
  });
  return takenApart(new Map(tensors), golden.shape);
}

async function opened(backend: Backend, golden: ReturnType<typeof goldenOf>, recompute: Recompute = 'nothing') {
  const policy = await Policy.open(backend, golden.shape, { ...CAPACITY, training: true, keptRows: 0, recompute });
  await loadPretrained({ shape: golden.shape, tensors: tensorsOf(golden.weights, golden) }, policy);
  return policy;
}

describe.each(backends)('%s', (_, open, ofScores, ofGradients) => {
  it.each(FAMILIES)("scores like transformers' %s at both temperatures", async (name) => {
    const golden = goldenOf(name);
    const policy = await opened(await open(), golden);
    const batch = packBatch(golden.groups);
    for (const expected of golden.scores) {
      const actual = await policy.score(batch, expected.temperature);
      expect(worstRelative(golden.inFixtureOrder(batch, actual.logprobs), expected.logprobs)).toBeLessThan(ofScores);
      expect(worstRelative(golden.inFixtureOrder(batch, actual.entropies), expected.entropies)).toBeLessThan(ofScores);
    }
    await policy.close();
  });

  it.each(
    FAMILIES.flatMap((name) => (['nothing', 'elementwise', 'layers'] as const).map((made) => [name, made] as const)),
  )("has every gradient tensor of transformers' %s, recomputing %s", async (name, recompute) => {
    const golden = goldenOf(name);
    const policy = await opened(await open(), golden, recompute);
    const batch = packBatch(golden.groups);
    const { temperature, g, h, gradients } = golden.backward;
    await policy.forward(batch, temperature);
    await policy.backward({
      logprobs: Float32Array.from(golden.inBatchOrder(batch, g)),
      entropies: Float32Array.from(golden.inBatchOrder(batch, h)),
    });
    const actual = await takeGradients(policy);
    const expected = tensorsOf(gradients, golden);
    expect([...actual.keys()].sort()).toEqual([...expected.keys()].sort());
    const largest = Math.max(...[...gradients.values()].flatMap((values) => Array.from(values, Math.abs)));
    for (const [tensor, values] of actual) {
      const right = await allValues(expected.get(tensor) as PretrainedTensor);
      const worst = Math.max(...Array.from(values, (value, i) => Math.abs(value - (right[i] ?? Number.NaN))));
      expect(worst / largest, tensor).toBeLessThan(ofGradients);
    }
    await policy.close();
  });
});

it.each(FAMILIES)("%s's config.json is written as it is read", async (name) => {
  const { shape } = goldenOf(name);
  const store = memoryStore();
  await writeModelConfig(
    store,
    'model',
    shape,
    closedCodec(characterTokenizer({ name: 'of digits', tokens: ['0', '1'] })),
    {
      context: 32,
    },
  );
  const config = JSON.parse(new TextDecoder().decode(await store.read('model/config.json')));
  expect(readModelConfig(config)).toMatchObject({ shape, context: 32 });
  expect(readModelConfig(config).shape).toEqual(shape);
});

it.each(FAMILIES)('%s samples with the bits that it scores with', async (name) => {
  const golden = goldenOf(name);
  const policy = await opened(await wasmBackend({ threads: 2 }), golden);
  const bits = await sampledAndScored(policy, golden.groups, 6);
  expect(bits).toHaveLength(4);
  expect(bits.map(({ sampled }) => sampled)).toEqual(bits.map(({ scored }) => scored));
  await policy.close();
});
