/** Logits' log-probs, entropies and every gradient tensor of Hugging Face's models, on every backend. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/kernels.ts';
import { slotLength } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import { Policy } from '../../src/model/policy.ts';
import type { GoldenModel } from '../support/golden_model.ts';
import { loadGoldenModel, worstRelative } from '../support/golden_model.ts';

const MODELS = ['llama_gqa', 'llama_tied', 'qwen2', 'qwen3'] as const;

async function openGolden(backend: Backend, golden: GoldenModel): Promise<Policy> {
  const policy = await Policy.open(backend, golden.shape, {
    rows: 32, lossRows: 16, groups: 4, completions: 8, kvRows: 40, context: 16, training: true, reference: false,
  });
  const flat = new Float64Array(policy.plan.slots.weights.all.shape[0] ?? 0);
  for (const { name, slot } of policy.parameters) flat.set(golden.weights.get(name) ?? [], slot.offset);
  policy.writeWeights(flat);
  return policy;
}

const backends: [string, () => Promise<Backend>, number][] = [
  ['reference', async () => referenceBackend, 2e-7],
  ['wasm', () => wasmBackend({ threads: 2 }), 1e-4],
];

describe.each(backends)('%s', (_, open, tolerance) => {
  it.each(MODELS)("scores like transformers' %s at both temperatures", async (name) => {
    const golden = loadGoldenModel(name);
    const policy = await openGolden(await open(), golden);
    const batch = packBatch(golden.groups);
    for (const expected of golden.scores) {
      const actual = await policy.score(batch, expected.temperature);
      expect(worstRelative(golden.inFixtureOrder(batch, actual.logprobs), expected.logprobs)).toBeLessThan(tolerance);
      expect(worstRelative(golden.inFixtureOrder(batch, actual.entropies), expected.entropies)).toBeLessThan(tolerance);
    }
    await policy.close();
  });

  it.each(MODELS)("has every gradient tensor of transformers' %s", async (name) => {
    const golden = loadGoldenModel(name);
    const policy = await openGolden(await open(), golden);
    const batch = packBatch(golden.groups);
    const { temperature, g, h, gradients } = golden.backward;
    await policy.accumulateFixed(batch, temperature, {
      dLogprobs: Float32Array.from(golden.inBatchOrder(batch, g)),
      dEntropies: Float32Array.from(golden.inBatchOrder(batch, h)),
    });
    // A zero learning rate: only the tied embedding's two gradients are joined.
    await policy.optimize({
      learningRate: 0, beta1: 0.9, beta2: 0.999, adamEps: 1e-8, weightDecay: 0, maxGradNorm: 0, adamStep: 1,
    });
    const actual = await policy.engine.read(policy.slots.gradients!.all);
    expect(gradients.size).toBe(policy.parameters.length);
    for (const parameter of policy.parameters) {
      const { offset } = parameter.slot;
      const values = actual.subarray(offset, offset + slotLength(parameter.slot));
      expect(worstRelative(values, gradients.get(parameter.name) ?? []), parameter.name).toBeLessThan(tolerance);
    }
    await policy.close();
  });
});
