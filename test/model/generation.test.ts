import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { inverseCdf, philoxUniform } from '../../src/kernels/reference/sample.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { Completion, GenerationSettings, SamplingSettings } from '../../src/model/sampling/generation.ts';
import { generate } from '../../src/model/sampling/generation.ts';
import { generationSettings, inCompletionOrder, NO_FILTERS, openPolicy } from '../support/policies.ts';

const V = 12;
const SHAPE = { vocabSize: V, hiddenSize: 16, intermediateSize: 20, headDim: 4 };
const CAPACITY = { rows: 64, lossRows: 64, groups: 4, completions: 16, kvRows: 512, context: 48 };
const PROMPT = Int32Array.of(3, 1, 4, 1, 5);
const KEY = [11, 3] as const;

function numbers(count: number, first = 0): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

async function sample(
  policy: Policy,
  rolloutNumbers: readonly number[],
  settings: Partial<GenerationSettings> = {},
): Promise<Completion[]> {
  const [completions] = await generate(policy, [{ prompt: PROMPT, rolloutNumbers }], generationSettings(settings));
  return completions;
}

/** Log-probs of every token after the prompt and a prefix, from the scorer: V completions of one token. */
async function nextLogprobs(policy: Policy, prefix: ArrayLike<number>, temperature = 1): Promise<Float32Array> {
  const prompt = Int32Array.from([...PROMPT, ...Array.from(prefix)]);
  const batch = packBatch([{ prompt, completions: numbers(V).map((token) => Int32Array.of(token)) }]);
  const { logprobs } = await policy.score(batch, temperature);
  return inCompletionOrder(batch, logprobs);
}

function argMax(values: Float32Array): number {
  return values.indexOf(Math.max(...values));
}

const backends: [string, () => Promise<Backend>][] = [
  ['reference', async () => referenceBackend],
  ['wasm', () => wasmBackend({ threads: 2 })],
];

describe.each(backends)('generate on %s', (_, open) => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await openPolicy(await open(), SHAPE, CAPACITY, 3);
  });
  afterAll(() => policy.close());

  it("ends a completion at its first EOS with 'eos', and keeps the EOS", async () => {
    const completions = await sample(policy, numbers(40), { maxCompletionTokens: 40 });
    const ended = completions.filter(({ finishReason }) => finishReason === 'eos');
    expect(ended.length).toBeGreaterThan(10);
    for (const { tokens } of ended) expect(tokens.indexOf(2)).toBe(tokens.length - 1);
  });

  it('ends a completion at the first of several ends', async () => {
    const completions = await sample(policy, numbers(40), { maxCompletionTokens: 40, stopIds: [2, 7, 9] });
    const last = completions.flatMap(({ tokens, finishReason }) => (finishReason === 'eos' ? [tokens.at(-1)] : []));
    expect(new Set(last)).toEqual(new Set([2, 7, 9]));
    for (const { tokens } of completions) {
      expect(tokens.subarray(0, -1).some((token) => [2, 7, 9].includes(token))).toBe(false);
    }
  });

  it("ends a completion without EOS at the longest length with 'length'", async () => {
    const completions = await sample(policy, numbers(40), { maxCompletionTokens: 4 });
    const cut = completions.filter(({ finishReason }) => finishReason === 'length');
    expect(cut.length).toBeGreaterThan(10);
    for (const { tokens } of cut) {
      expect(tokens).toHaveLength(4);
      expect(tokens.includes(2)).toBe(false);
    }
    expect(completions.every(({ finishReason, tokens }) => (finishReason === 'eos') === tokens.includes(2))).toBe(true);
  });

  it("says 'eos', not 'length', of an EOS that comes as the last token allowed", async () => {
    const completions = await sample(policy, numbers(60), { maxCompletionTokens: 2 });
    const last = completions.filter(({ tokens }) => tokens.length === 2 && tokens[1] === 2);
    expect(last.length).toBeGreaterThan(0);
    for (const { finishReason } of last) expect(finishReason).toBe('eos');
  });

  it("ends every completion after exactly fixedCompletionTokens with 'stop', whatever the tokens", async () => {
    const completions = await sample(policy, numbers(40), { fixedCompletionTokens: 7, maxCompletionTokens: 3 });
    expect(completions.some(({ tokens }) => tokens.subarray(0, 6).includes(2))).toBe(true);
    for (const { tokens, finishReason } of completions) {
      expect(tokens).toHaveLength(7);
      expect(finishReason).toBe('stop');
    }
  });

  it('records one log-prob, entropy and kept mass a token', async () => {
    for (const { tokens, logprobs, entropies, keptLogMass } of await sample(policy, numbers(10))) {
      expect([logprobs.length, entropies.length, keptLogMass.length]).toEqual(new Array(3).fill(tokens.length));
      expect(keptLogMass.every((value) => value === 0)).toBe(true);
      expect(logprobs.every((value) => value < 0)).toBe(true);
    }
  });

  it('takes, when greedy, the token that the scorer likes best among all, at each position', async () => {
    const greedy = { ...NO_FILTERS, temperature: 0 };
    const [first, second] = await sample(policy, [1, 2], { sampling: greedy, maxCompletionTokens: 16 });
    expect(first.tokens).toEqual(second.tokens);
    for (let t = 0; t < first.tokens.length; t++) {
      const scores = await nextLogprobs(policy, first.tokens.subarray(0, t));
      expect(first.tokens[t], `position ${t}`).toBe(argMax(scores));
      expect(Math.abs(first.logprobs[t] - Math.max(...scores))).toBeLessThan(1e-6);
    }
  });

  it('draws a token by its 64-bit rollout number and its position, by inverse CDF', async () => {
    const rollouts = [7, 2 ** 31 + 7, 2 ** 32 + 7, 3 * 2 ** 32 + 7, 2 ** 53 - 1];
    const completions = await sample(policy, rollouts, { fixedCompletionTokens: 6 });
    for (const [i, { tokens }] of completions.entries()) {
      const high = Math.floor(rollouts[i] / 2 ** 32);
      for (let t = 0; t < tokens.length; t++) {
        const scores = await nextLogprobs(policy, tokens.subarray(0, t));
        const uniform = philoxUniform([t, rollouts[i] % 2 ** 32, high, 0], KEY);
        expect(tokens[t], `rollout ${rollouts[i]}, position ${t}`).toBe(
          inverseCdf(Float64Array.from(scores, Math.exp), uniform),
        );
      }
    }
  });

  it('draws other tokens for rollout numbers that differ in their high word alone', async () => {
    const rollouts = numbers(8).map((high) => high * 2 ** 32 + 5);
    const completions = await sample(policy, rollouts, { fixedCompletionTokens: 12 });
    expect(new Set(completions.map(({ tokens }) => tokens.join(' '))).size).toBe(8);
  });

  it('answers a request for no rollouts with no completions, in its place', async () => {
    const requests = [[0, 1], [], [2]].map((rolloutNumbers) => ({ prompt: PROMPT, rolloutNumbers }));
    const completions = await generate(policy, requests, generationSettings());
    expect(completions.map((list) => list.length)).toEqual([2, 0, 1]);
  });
});

describe('the first token of 6,000 rollouts on wasm', () => {
  const ROLLOUTS = 6000;
  let policy: Policy;
  beforeAll(async () => {
    policy = await openPolicy(
      await wasmBackend({ inline: true }),
      SHAPE,
      { ...CAPACITY, rows: 1000, completions: 1000, kvRows: 1200 },
      3,
    );
  });
  afterAll(() => policy.close());

  /** χ² of the counts of first tokens against probabilities; infinite where an impossible token came. */
  async function chiSquare(sampling: SamplingSettings, probabilities: ArrayLike<number>): Promise<number> {
    const counts = new Float64Array(V);
    for (const { tokens } of await sample(policy, numbers(ROLLOUTS), { sampling, fixedCompletionTokens: 1 })) {
      counts[tokens[0]]++;
    }
    return Array.from(counts).reduce((sum, count, token) => {
      const expected = probabilities[token] * ROLLOUTS;
      if (expected === 0) return count === 0 ? sum : Number.POSITIVE_INFINITY;
      return sum + (count - expected) ** 2 / expected;
    }, 0);
  }

  /** 99.9 % of χ² with 11 degrees of freedom; fewer tokens only make the test milder. */
  const LIMIT = 31.26;

  it.each([1, 0.7, 1.6])("has the frequencies of the model's softmax at T = %d", async (temperature) => {
    const probabilities = (await nextLogprobs(policy, [], temperature)).map(Math.exp);
    expect(await chiSquare({ ...NO_FILTERS, temperature }, probabilities)).toBeLessThan(LIMIT);
  });

  it('has not the frequencies of another temperature', async () => {
    const probabilities = (await nextLogprobs(policy, [], 0.7)).map(Math.exp);
    expect(await chiSquare(NO_FILTERS, probabilities)).toBeGreaterThan(LIMIT);
  });

  it('has the renormalised frequencies of the 5 best tokens under top-k 5, and says what mass they had', async () => {
    const logprobs = await nextLogprobs(policy, []);
    const kept = numbers(V)
      .sort((a, b) => logprobs[b] - logprobs[a])
      .slice(0, 5);
    const mass = kept.reduce((sum, token) => sum + Math.exp(logprobs[token]), 0);
    const probabilities = logprobs.map((value, token) => (kept.includes(token) ? Math.exp(value) / mass : 0));
    const sampling = { ...NO_FILTERS, topK: 5 };
    expect(await chiSquare(sampling, probabilities)).toBeLessThan(LIMIT);
    const [completion] = await sample(policy, [1], { sampling, fixedCompletionTokens: 1 });
    expect(Math.abs(completion.keptLogMass[0] - Math.log(mass))).toBeLessThan(1e-6);
    expect(Math.abs(completion.logprobs[0] - logprobs[completion.tokens[0]])).toBeLessThan(1e-6);
  });
});

describe('a request that the policy was not opened for', () => {
  const prompt = numbers(10).map((i) => i % V);
  it.each([
    ['too few cache rows', { kvRows: 16 }, prompt, /a prompt of 10 tokens with 30 to come/],
    ['too short a context', { context: 16 }, prompt, /opened for 16 in all/],
    ['an empty prompt', {}, [], /the prompt is empty/],
    ['a token outside the vocabulary', {}, [V], /token 12 is outside the vocabulary/],
  ])('is refused: %s', async (_, small, tokens, message) => {
    const capacity = { ...CAPACITY, rows: 16, ...small };
    const policy = await openPolicy(await wasmBackend({ inline: true }), SHAPE, capacity, 3);
    const requests = [{ prompt: Int32Array.from(tokens), rolloutNumbers: [1] }];
    const settings = generationSettings({ fixedCompletionTokens: 30 });
    await expect(generate(policy, requests, settings)).rejects.toThrow(message);
    await policy.close();
  });
});
