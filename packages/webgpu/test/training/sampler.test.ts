/** Sequences that come, go, branch and are given tokens, on software adapters: the scorer's log-probs. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { generate } from '../../../../src/model/sampling/generation.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import {
  MIXED_CONTEXT,
  operations,
  sampledScores,
  sampleMixed,
  scoredScores,
} from '../../../../test/support/mixed_sampling.ts';
import { generationSettings, openPolicy } from '../../../../test/support/policies.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const ROOM = { rows: 1500, lossRows: 1500, completions: 256, kvRows: 2000, context: MIXED_CONTEXT };

function worst(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

/** SwiftShader takes about 40 s for three programs. */
const RUNS: Readonly<Record<string, number>> = { lavapipe: 3, swiftshader: 1 };

/** Both before a release. */
for (const label of fewOf(REQUIRED_ADAPTERS, { quick: 1, all: 1 })) {
  const numRuns = RUNS[label] ?? 1;
  const backend = await loadBackend(`webgpu:${label}`);

  it(`random programs have the scorer's log-probs and entropies within 1e-6 on ${label}`, async () => {
    const policy = await openPolicy(backend, { numLayers: 1 }, { ...ROOM, training: false });
    let seen = 0;
    const property = fc.asyncProperty(operations, async (program) => {
      const sampling = { temperature: 0.8, topK: 0, topP: 0.95, minP: null };
      const mixed = await sampleMixed(policy, { sampling, samplingKey: [5, 3] }, program);
      const sampled = sampledScores(mixed);
      const scored = await scoredScores(policy, mixed, sampling.temperature);
      expect(worst(sampled.logprobs, scored.logprobs)).toBeLessThanOrEqual(1e-6);
      expect(worst(sampled.entropies, scored.entropies)).toBeLessThanOrEqual(1e-6);
      seen += sampled.logprobs.length;
    });
    await fc.assert(property, { seed: 7, numRuns, endOnFailure: true });
    expect(seen).toBeGreaterThan(200 * numRuns);
    await policy.close();
  });
}

for (const label of REQUIRED_ADAPTERS) {
  const backend = await loadBackend(`webgpu:${label}`);

  it(`prompts with one opening are answered as each alone, bit for bit, on ${label}`, async () => {
    const policy = await openPolicy(backend, { numLayers: 1 }, { ...ROOM, training: false });
    const opening = Array.from({ length: 20 }, (_, i) => (7 * i + 3) % 43);
    const requests = [[5, 6], [9], [1, 2, 3]].map((own, i) => ({
      prompt: Int32Array.of(...opening, ...own),
      rolloutNumbers: [2 * i, 2 * i + 1],
    }));
    const settings = generationSettings({ maxCompletionTokens: 12 });
    const together = await generate(policy, requests, settings);
    for (const [i, request] of requests.entries())
      expect([together[i]]).toEqual(await generate(policy, [request], settings));
    await policy.close();
  });
}
