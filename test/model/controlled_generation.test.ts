/** Sampling that the host may end, or put tokens into, token by token: nothing else about it changes by a bit. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import {
  type AfterToken,
  type GenerationControl,
  generateControlled,
} from '../../src/model/sampling/controlled_generation.ts';
import { type Completion, generate } from '../../src/model/sampling/generation.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import { bitsOf, generationSettings, openPolicy } from '../support/policies.ts';

const REQUESTS = [
  { prompt: Int32Array.of(3, 1, 4), rolloutNumbers: [0, 1, 2] },
  { prompt: Int32Array.of(1, 5, 9, 2), rolloutNumbers: [3, 4] },
];
const SETTINGS = generationSettings({ maxCompletionTokens: 8 });

async function withPolicy<T>(work: (policy: Policy) => Promise<T>): Promise<T> {
  const policy = await openPolicy(await wasmBackend({ inline: true }));
  try {
    return await work(policy);
  } finally {
    await policy.close();
  }
}

const sample = (after: AfterToken): Promise<Completion[][]> =>
  withPolicy((policy) => generateControlled(policy, REQUESTS, SETTINGS, { after }));

describe('generateControlled', () => {
  it('samples the bits of generate where nothing is done', async () => {
    const plain = await withPolicy((policy) => generate(policy, REQUESTS, SETTINGS));
    const controlled = await sample(() => undefined);
    expect(controlled).toEqual(plain);
  });

  it('hears every token of every request, and ends a completion where it is told to', async () => {
    const heard = new Set<number>();
    const completions = await sample((tokens, request) => {
      heard.add(request);
      return tokens.length === 3 ? 'stop' : undefined;
    });
    expect([...heard]).toEqual([0, 1]);
    for (const { tokens, finishReason } of completions.flat()) {
      expect(tokens.length).toBeLessThanOrEqual(3);
      if (tokens.length === 3 && finishReason !== 'eos') expect(finishReason).toBe('stop');
    }
  });

  it('labels what is put in, and what is sampled behind it has the log-probs of the scorer, bit for bit', async () => {
    await withPolicy(async (policy) => {
      const completions = await generateControlled(policy, REQUESTS, SETTINGS, {
        after: (tokens) => (tokens.length === 2 ? [7, 7] : undefined),
      });
      const given = completions.flat().filter(({ labels }) => labels !== undefined);
      expect(given.length).toBeGreaterThan(0);
      for (const { tokens, labels } of given) {
        expect([...tokens.subarray(2, 4)]).toEqual([7, 7].slice(0, tokens.length - 2));
        expect(
          [...(labels as Uint8Array)].map((label, t) => label === (t === 2 || t === 3 ? TOKEN.given : 0)),
        ).not.toContain(false);
      }
      const batch = packBatch(
        REQUESTS.map(({ prompt }, i) => ({
          prompt,
          completions: completions[i].map(({ tokens }) => tokens),
          labels: completions[i].map(({ labels }) => labels),
        })),
      );
      const scores = await policy.score(batch, SETTINGS.sampling.temperature);
      const all = completions.flat();
      const sampled = Float32Array.from(batch.completionOf, (c, row) => all[c].logprobs[batch.tokenOf[row]]);
      expect(bitsOf(sampled)).toEqual(bitsOf(scores.logprobs));
    });
  });

  /** Of twelve thousand tokens, some of them put in, so that completions stand at different places of the same step. */
  it('samples each place at its temperature, with the log-probs of the scorer there, bit for bit', async () => {
    const temperatures = [1.5, 0.3, 1, 0.8];
    const control: GenerationControl = {
      after: (tokens, request) => (tokens.length === 5 && request % 2 === 1 ? [7, 7, 7] : undefined),
      temperature: (place) => temperatures[place % temperatures.length],
    };
    const requests = Array.from({ length: 8 }, (_, i) => ({
      prompt: Int32Array.of(3, 1, i),
      rolloutNumbers: Array.from({ length: 32 }, (_unused, k) => 32 * i + k),
    }));
    const [rows, completions] = [13_000, 256];
    const policy = await openPolicy(
      await wasmBackend({ inline: true }),
      { hiddenSize: 16, intermediateSize: 16, numLayers: 1, numHeads: 2, numKvHeads: 1 },
      { rows, lossRows: rows, completions, kvRows: rows, context: 56 },
    );
    const settings = { ...SETTINGS, maxCompletionTokens: 50, stopIds: [] };
    const sampled = await generateControlled(policy, requests, settings, control);
    const batch = packBatch(
      requests.map(({ prompt }, i) => ({
        prompt,
        completions: sampled[i].map(({ tokens }) => tokens),
        labels: sampled[i].map(({ labels }) => labels),
      })),
    );
    const all = sampled.flat();
    let tokens = 0;
    for (const [index, temperature] of temperatures.entries()) {
      const scores = await policy.score(batch, temperature);
      const here = Array.from(batch.tokenOf).flatMap((t, row) => (t % temperatures.length === index ? [row] : []));
      tokens += here.length;
      for (const what of ['logprobs', 'entropies'] as const) {
        const drawn = Float32Array.from(here, (row) => all[batch.completionOf[row]][what][batch.tokenOf[row]]);
        expect(bitsOf(drawn)).toEqual(bitsOf(Float32Array.from(here, (row) => scores[what][row])));
      }
    }
    expect(tokens).toBeGreaterThan(10_000);
    await policy.close();
  });
});
