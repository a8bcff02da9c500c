/** Completions that begin with the same tokens: those are computed once and copied, and nothing else changes. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import { type Completion, generate } from '../../src/model/sampling/generation.ts';
import { openSampler } from '../../src/model/sampling/sampler.ts';
import { bitsOf, generationSettings, openPolicy } from '../support/policies.ts';
import { countInputRows } from '../support/rows.ts';

const PROMPT = Int32Array.of(3, 1, 4);
const TRUNK = Array.from({ length: 20 }, (_, i) => (5 * i + 2) % 43);
/** Four of the trunk, two of most of it, one that is too short, one of its own. */
const PREFIXES = [
  TRUNK,
  TRUNK,
  [...TRUNK, 8],
  [...TRUNK, 8, 9],
  [...TRUNK.slice(0, 18), 1, 2],
  [...TRUNK.slice(0, 17), 30],
  TRUNK.slice(0, 9),
  TRUNK.map((token) => (token + 1) % 43),
].map((tokens) => Int32Array.from(tokens));
const SETTINGS = generationSettings({ maxCompletionTokens: 40 });

const numbers = PREFIXES.map((_, i) => i);
const bits = (own: readonly Completion[]) => own.map(({ tokens, logprobs }) => [...tokens, ...bitsOf(logprobs)]);

describe('completions that begin alike', () => {
  it('are those of each alone, bit for bit, for fewer rows', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 2 }), { qkNorm: true });
    const rows = countInputRows(policy);
    const request = { prompt: PROMPT, rolloutNumbers: numbers, prefixes: PREFIXES };
    const [together] = await generate(policy, [request], SETTINGS);
    const shared = rows();
    const alone: Completion[] = [];
    for (const i of numbers) {
      const [[own]] = await generate(
        policy,
        [{ prompt: PROMPT, rolloutNumbers: [i], prefixes: [PREFIXES[i]] }],
        SETTINGS,
      );
      alone.push(own);
    }
    expect(bits(together)).toEqual(bits(alone));
    const prompts = (PREFIXES.length - 1) * PROMPT.length;
    expect(rows() - 2 * shared).toBe(prompts + 19 + 20 + 20 + 18 + 17);
    await policy.close();
  });

  it('take the rows of a parent that was sampled, as forks of a tree do', async () => {
    const policy = await openPolicy(await wasmBackend({ inline: true }));
    const sampler = openSampler(policy, SETTINGS);
    const rules = { stopIds: [], maxTokens: 30, room: 40 };
    const [parent] = sampler.add([{ prefix: PROMPT, rolloutNumbers: [0], ...rules }]);
    await sampler.run([parent]);
    const forks = numbers.map((i) => sampler.fork(parent, 18 + i, 100 + i, { maxTokens: 5 }));
    const rows = countInputRows(policy);
    await sampler.run(forks);
    expect(rows()).toBe(forks.length * 5); // the newest token of each is a row of its own
    for (const { tokens, logprobs } of forks) {
      const { logprobs: scored } = await policy.score(
        packBatch([{ prompt: PROMPT, completions: [tokens.slice()] }]),
        1,
      );
      const own = [...logprobs.keys()].filter((t) => t >= tokens.length - 5);
      expect(bitsOf(logprobs.slice(own[0]))).toEqual(bitsOf(scored.slice(own[0])));
    }
    await policy.close();
  });
});
