/** Training on a software adapter: the numbers of the wasm engine, and the same bits every time. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import { generate } from '../../../../src/model/sampling/generation.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { fixtureIndex } from '../../../../test/support/golden_model.ts';
import { gradientsDiffer } from '../../../../test/support/opened_groups.ts';
import { bitsOf, generationSettings, inCompletionOrder, sha256Of } from '../../../../test/support/policies.ts';
import {
  GROUPS,
  gradientsInParts,
  LARGEST_GROUP,
  tenSteps,
  WITH_EVERYTHING,
  withPolicy,
  worstRelative,
} from '../../../../test/support/ten_steps.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const SHAPES = fewOf(
  [
    ['tied, with biases and q/k norm', WITH_EVERYTHING],
    ['a plain model', {}],
  ] as const,
  { quick: 1 },
);

/** Both before a release: Chromium runs these on SwiftShader, too. */
for (const label of fewOf(REQUIRED_ADAPTERS, { quick: 1, all: 1 })) {
  const backend = await loadBackend(`webgpu:${label}`);

  describe(`training on ${label}`, () => {
    it.each(SHAPES)('takes ten steps with the losses and gradient norms of wasm within 1e-4: %s', async (_, shape) => {
      const wasm = await withPolicy(await wasmBackend({ threads: 1 }), shape, tenSteps);
      const gpu = await withPolicy(backend, shape, tenSteps);
      expect(worstRelative(gpu.losses, wasm.losses)).toBeLessThan(1e-4);
      expect(worstRelative(gpu.gradNorms, wasm.gradNorms)).toBeLessThan(1e-4);
    });

    it('takes ten steps of Muon with the losses and gradient norms of wasm within 1e-4', async () => {
      const wasm = await withPolicy(await wasmBackend({ threads: 1 }), WITH_EVERYTHING, tenSteps, { muon: true });
      const gpu = await withPolicy(backend, WITH_EVERYTHING, tenSteps, { muon: true });
      expect(worstRelative(gpu.losses, wasm.losses)).toBeLessThan(1e-4);
      expect(worstRelative(gpu.gradNorms, wasm.gradNorms)).toBeLessThan(1e-4);
    });

    it('ends with the same weights, bit for bit, when it is done twice', async () => {
      const once = await withPolicy(backend, WITH_EVERYTHING, tenSteps);
      const again = await withPolicy(backend, WITH_EVERYTHING, tenSteps);
      expect(sha256Of(again.weights)).toBe(sha256Of(once.weights));
      expect(again.losses).toEqual(once.losses);
    });

    it('accumulates the same gradient bits whole and in micro-batches', async () => {
      const whole = await gradientsInParts(backend, WITH_EVERYTHING, 400);
      const parts = await gradientsInParts(backend, WITH_EVERYTHING, LARGEST_GROUP);
      expect([whole.parts, parts.parts > 1]).toEqual([1, true]);
      expect(parts.bits).toEqual(whole.bits);
    });

    it('accumulates the same gradient bits where the backward pass computes each layer again', async () => {
      const kept = await gradientsInParts(backend, WITH_EVERYTHING, 400);
      const again = await gradientsInParts(backend, WITH_EVERYTHING, 400, { recompute: 'layers' });
      expect(again.bits).toEqual(kept.bits);
    });

    it('takes what prompts begin with alike through the layers once', async () => {
      expect(await gradientsDiffer(backend)).toBeLessThan(2 ** -18);
    });

    it('scores what it sampled with exactly the log-probs and entropies that it sampled with', async () => {
      await withPolicy(backend, WITH_EVERYTHING, async (policy) => {
        const asked = GROUPS.map(({ prompt }, group) => ({ prompt, rolloutNumbers: [2 * group, 2 * group + 1] }));
        const sampling = { temperature: 0.8, topK: 0, topP: 0.95, minP: null };
        const sampled = await generate(policy, asked, generationSettings({ sampling, maxCompletionTokens: 12 }));
        const batch = packBatch(
          asked.map(({ prompt }, i) => ({ prompt, completions: sampled[i].map(({ tokens }) => tokens) })),
        );
        const scores = await policy.score(batch, 0.8);
        const completions = sampled.flat();
        const all = (of: (completion: (typeof completions)[number]) => Float32Array): Float32Array =>
          Float32Array.from(completions.flatMap((completion) => [...of(completion)]));
        expect(fixtureIndex(batch)).toHaveLength(scores.logprobs.length);
        expect(bitsOf(inCompletionOrder(batch, scores.logprobs))).toEqual(bitsOf(all(({ logprobs }) => logprobs)));
        expect(bitsOf(inCompletionOrder(batch, scores.entropies))).toEqual(bitsOf(all(({ entropies }) => entropies)));
      });
    });
  });
}
