/** Logits' log-probs, entropies and every gradient tensor of Hugging Face's models, on every backend. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import { loadGoldenModel, worstRelative } from '../support/golden_model.ts';
import { openGolden, takeGradients } from '../support/policies.ts';

const MODELS = ['llama_gqa', 'llama_tied', 'qwen2', 'qwen3'] as const;

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
    await policy.forward(batch, temperature);
    await policy.backward({
      logprobs: Float32Array.from(golden.inBatchOrder(batch, g)),
      entropies: Float32Array.from(golden.inBatchOrder(batch, h)),
    });
    const actual = await takeGradients(policy);
    expect([...actual.keys()].sort()).toEqual([...gradients.keys()].sort());
    for (const [tensor, values] of actual) {
      expect(worstRelative(values, gradients.get(tensor) ?? []), tensor).toBeLessThan(tolerance);
    }
    await policy.close();
  });
});
