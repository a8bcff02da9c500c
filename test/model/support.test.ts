/**
 * Policies among fewer tokens: of what may be sampled, log-probs add up to 1, derivatives are those of them, and sampler and
 * scorer agree in every bit, whoever decides what may come.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import { narrowScores, widenDerivatives } from '../../src/model/narrowed_scores.ts';
import type { Policy } from '../../src/model/policy.ts';
import { type GenerationControl, generateControlled } from '../../src/model/sampling/controlled_generation.ts';
import { type Completion, generate } from '../../src/model/sampling/generation.ts';
import { holds, isWhole, narrowed, supportOf } from '../../src/model/support.ts';
import { bitsOf, generationSettings, openPolicy } from '../support/policies.ts';

const VOCABULARY = 43;
const REQUESTS = Array.from({ length: 8 }, (_, i) => ({
  prompt: Int32Array.of(3, 1, i),
  rolloutNumbers: Array.from({ length: 32 }, (_unused, k) => 32 * i + k),
}));

/** Depends on what was written, so that completions are constrained differently; every fourth place is free. */
const allowed = (tokens: Int32Array): Uint8Array | undefined => {
  const last = tokens.at(-1) ?? 0;
  return tokens.length % 4 === 3 ? undefined : supportOf(VOCABULARY, (token) => (token * 7 + last) % 3 !== 0);
};

async function withPolicy<T>(work: (policy: Policy) => Promise<T>): Promise<T> {
  const [rows, completions] = [13_000, 256];
  const policy = await openPolicy(
    await wasmBackend({ inline: true }),
    { hiddenSize: 16, intermediateSize: 16, numLayers: 1, numHeads: 2, numKvHeads: 1 },
    { rows, lossRows: rows, completions, kvRows: rows, context: 56, outputRows: { distributions: rows } },
  );
  try {
    return await work(policy);
  } finally {
    await policy.close();
  }
}

const batchOf = (completions: readonly Completion[][]) =>
  packBatch(
    REQUESTS.map(({ prompt }, i) => ({
      prompt,
      completions: completions[i].map(({ tokens }) => tokens),
      labels: completions[i].map(({ labels }) => labels),
      supports: completions[i].map(({ support }) => support),
    })),
  );

const SETTINGS = { ...generationSettings({ maxCompletionTokens: 50 }), stopIds: [] };

/** Sampled under a control, and scored: how many tokens there were, after their bits were compared. */
async function sampledAsScored(
  policy: Policy,
  control: Omit<GenerationControl, 'after'>,
  settings = SETTINGS,
): Promise<{ readonly completions: Completion[][]; readonly tokens: number }> {
  const completions = await generateControlled(policy, REQUESTS, settings, { after: () => undefined, ...control });
  const batch = batchOf(completions);
  const scores = await policy.score(batch, settings.sampling.temperature);
  const all = completions.flat();
  for (const what of ['logprobs', 'entropies'] as const) {
    const drawn = Float32Array.from(batch.completionOf, (c, row) => all[c][what][batch.tokenOf[row]]);
    expect(bitsOf(drawn)).toEqual(bitsOf(scores[what]));
  }
  return { completions, tokens: batch.lossRowCount };
}

describe('a support', () => {
  it('holds its tokens, and is whole where nothing was left out', () => {
    const support = supportOf(VOCABULARY, (token) => token % 5 === 2);
    expect(Array.from({ length: VOCABULARY }, (_, token) => holds(support, token))).toEqual(
      Array.from({ length: VOCABULARY }, (_, token) => token % 5 === 2),
    );
    expect([isWhole(support), isWhole(new Uint8Array(6).fill(255))]).toEqual([false, true]);
  });

  it('has log-probs that add up to 1, and the entropy of them', () => {
    const logits = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(logits, fc.integer({ min: 1, max: 511 }), (u, mask) => {
        const support = Uint8Array.of(mask & 255, mask >> 8);
        const own = Float32Array.from(u);
        const members = [...own.keys()].filter((token) => holds(support, token));
        const logprobs = members.map((token) => narrowed(own, support, token).logprob);
        expect(logprobs.reduce((sum, value) => sum + Math.exp(value), 0)).toBeCloseTo(1, 12);
        const entropy = -logprobs.reduce((sum, value) => sum + Math.exp(value) * value, 0);
        expect(narrowed(own, support, members[0]).entropy).toBeCloseTo(entropy, 10);
      }),
    );
  });

  it('has the derivatives of its log-probs and entropies by logits, and leaves other rows alone', () => {
    const support = Uint8Array.of(0b10110, 0b1);
    const targets = Int32Array.of(2, 5);
    const supports = [support, undefined];
    const batch = { ...packBatch([{ prompt: Int32Array.of(1), completions: [targets] }]), targets, supports };
    const logits = Float32Array.from({ length: 18 }, (_, i) => Math.sin(3 * i));
    const scoresAt = (values: Float32Array) =>
      narrowScores(batch, {
        logprobs: Float32Array.of(-1, -2),
        entropies: Float32Array.of(1, 2),
        distributions: values,
      });
    const given = { logprobs: Float32Array.of(0.7, 0.3), entropies: Float32Array.of(-0.4, 0.2) };
    const wide = widenDerivatives(batch, logits, given);
    expect([...(wide.logprobs ?? [])]).toEqual([0, Math.fround(0.3)]);
    expect([...(wide.entropies ?? [])]).toEqual([0, Math.fround(0.2)]);
    const loss = (values: Float32Array): number => {
      const own = narrowed(values.subarray(0, 9), support, targets[0]);
      return given.logprobs[0] * own.logprob + given.entropies[0] * own.entropy;
    };
    for (let v = 0; v < 9; v++) {
      const step = 2 ** -10;
      const moved = (by: number): number => loss(logits.map((value, i) => (i === v ? value + by : value)));
      expect(wide.distributions?.[v]).toBeCloseTo((moved(step) - moved(-step)) / (2 * step), 3);
    }
    expect([...(wide.distributions as Float32Array).subarray(9)]).toEqual(Array(9).fill(0));
    expect(scoresAt(logits).logprobs[1]).toBe(-2);
  });
});

describe('sampling among fewer tokens', () => {
  it('samples none but those, with the log-probs of the scorer over ten thousand tokens, bit for bit', async () => {
    await withPolicy(async (policy) => {
      const { completions, tokens } = await sampledAsScored(policy, { allowed });
      expect(tokens).toBeGreaterThan(10_000);
      for (const { tokens: own, support = new Uint8Array() } of completions.flat()) {
        const width = support.length / own.length;
        own.forEach((token, t) => {
          expect(holds(support.subarray(t * width, (t + 1) * width), token)).toBe(true);
          expect(isWhole(support.subarray(t * width, (t + 1) * width))).toBe(t % 4 === 3);
        });
      }
    });
  });

  it('is plain sampling to the bit where everything may come', async () => {
    await withPolicy(async (policy) => {
      const plain = await generate(policy, REQUESTS, SETTINGS);
      const free = await generateControlled(policy, REQUESTS, SETTINGS, {
        after: () => undefined,
        allowed: () => undefined,
      });
      expect(free).toEqual(plain);
    });
  });

  it('takes what top-p and top-k leave for the whole policy, with the log-probs of the scorer there', async () => {
    await withPolicy(async (policy) => {
      const sampling = { temperature: 0.9, topK: 12, topP: 0.8, minP: null };
      const { completions, tokens } = await sampledAsScored(policy, { isTruncated: true }, { ...SETTINGS, sampling });
      expect(tokens).toBeGreaterThan(10_000);
      for (const { keptLogMass, logprobs } of completions.flat().slice(0, 20)) {
        expect(keptLogMass.every((mass) => mass === 0)).toBe(true);
        expect(logprobs.every((logprob) => logprob <= 0)).toBe(true);
      }
    });
  });

  it('takes the likeliest of them at temperature 0', async () => {
    await withPolicy(async (policy) => {
      const sampling = { temperature: 0, topK: 0, topP: 1, minP: null };
      const settings = { ...SETTINGS, sampling, maxCompletionTokens: 6 };
      const control = { after: () => undefined, allowed };
      const [[first]] = await generateControlled(policy, REQUESTS, settings, control);
      const batch = packBatch([{ prompt: REQUESTS[0].prompt, completions: [first.tokens] }]);
      const { distributions = new Float32Array() } = await policy.score(batch, 1, 'policy', ['distributions']);
      for (const t of first.tokens.keys()) {
        const mask = allowed(first.tokens.subarray(0, t));
        const own = distributions.subarray(t * VOCABULARY, (t + 1) * VOCABULARY);
        const best = [...own.keys()]
          .filter((token) => mask === undefined || holds(mask, token))
          .reduce((a, b) => (own[b] > own[a] ? b : a));
        expect(first.tokens[t]).toBe(best);
      }
    });
  });
});
