/** Prompts that begin with the same tokens: those are computed once, and nothing else changes. */
import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { Policy } from '../../src/model/policy.ts';
import { generate } from '../../src/model/sampling/generation.ts';
import { openSampler } from '../../src/model/sampling/sampler.ts';
import { bitsOf, generationSettings, openPolicy, sampledAndScored } from '../support/policies.ts';

const OPENING = Array.from({ length: 20 }, (_, i) => (7 * i + 3) % 43);
/** Of different lengths; one is the opening alone, and one only half of it. */
const PROMPTS = [
  [...OPENING, 5, 6],
  [...OPENING, 9],
  OPENING,
  [...OPENING, 1, 2, 3, 4, 5],
  [...OPENING.slice(0, 10), 8],
].map((tokens) => Int32Array.from(tokens));
const REQUESTS = PROMPTS.map((prompt, i) => ({ prompt, rolloutNumbers: [3 * i, 3 * i + 1, 3 * i + 2] }));
const SETTINGS = generationSettings({ maxCompletionTokens: 12 });

const open = async (): Promise<Policy> =>
  openPolicy(await wasmBackend({ threads: 2 }), { qkNorm: true }, { rows: 200 });

/** Rows that went through the network, rows copied within the cache, and the programs that copied them. */
async function counted(
  policy: Policy,
  work: () => Promise<unknown>,
): Promise<{ rows: number; copied: number; programs: number }> {
  const { engine, slots } = policy;
  const [write, replay] = [engine.write.bind(engine), engine.replay.bind(engine)];
  const seen = { rows: 0, copied: 0, programs: 0 };
  engine.write = (slot, values, at) => {
    if (slot === slots.inputs.tokens) seen.rows += (values as ArrayLike<number>).length;
    if (slot === slots.inputs.kvTo) seen.copied += (values as ArrayLike<number>).length;
    write(slot, values, at);
  };
  engine.replay = (...programs) => {
    seen.programs += programs.filter(({ label }) => label === 'copy keys and values').length;
    return replay(...programs);
  };
  await work();
  Object.assign(engine, { write, replay });
  return seen;
}

describe('prompts with one opening', () => {
  it('are answered as each alone, bit for bit, for fewer rows', async () => {
    const policy = await open();
    const together: Awaited<ReturnType<typeof generate>> = [];
    const one = await counted(policy, async () => together.push(...(await generate(policy, REQUESTS, SETTINGS))));
    const alone: typeof together = [];
    const each = await counted(policy, async () => {
      for (const request of REQUESTS) alone.push(...(await generate(policy, [request], SETTINGS)));
    });
    expect(together.map((group) => group.map(({ tokens }) => [...tokens]))).toEqual(
      alone.map((group) => group.map(({ tokens }) => [...tokens])),
    );
    expect(together.flat().map(({ logprobs }) => bitsOf(logprobs))).toEqual(
      alone.flat().map(({ logprobs }) => bitsOf(logprobs)),
    );
    // Of the prompt that is the opening alone, the last row is its own; the last prompt has too little of it.
    expect(one).toEqual({ rows: each.rows - (20 + 19 + 20), copied: 20 + 19 + 20, programs: 1 });
    expect(each).toMatchObject({ copied: 0, programs: 0 });
    await policy.close();
  });

  it.each([
    ['wasm', () => wasmBackend({ threads: 1 })],
    ['reference', async () => referenceBackend],
  ])('are scored as they were sampled, on %s', async (_, backend) => {
    const policy = await openPolicy(await backend(), { tieWordEmbeddings: true }, { rows: 60 });
    const groups = PROMPTS.map((prompt) => ({ prompt, completions: [] }));
    for (const { sampled, scored } of await sampledAndScored(policy, groups, 12)) expect(scored).toEqual(sampled);
    await policy.close();
  });

  it('take tokens that an answer begins with, and rows that the cache has lost', async () => {
    const policy = await open();
    const sampler = openSampler(policy, SETTINGS);
    const turns = async (asked: typeof REQUESTS, lose: boolean): Promise<number[][]> => {
      const sequences = sampler.add(
        asked.map(({ prompt: prefix, rolloutNumbers }) => ({
          prefix,
          rolloutNumbers,
          stopIds: [2],
          maxTokens: 5,
          room: 24,
        })),
      );
      for (const sequence of sequences) sampler.append(sequence, [4, 5]);
      await sampler.run(sequences);
      if (lose) policy.claimCache({}); // something else has used it
      for (const sequence of sequences) sampler.append(sequence, [6]);
      await sampler.run(sequences);
      const tokens = sequences.map((sequence) => [...sequence.tokens]);
      sampler.release(sequences);
      return tokens;
    };
    const alone: number[][] = [];
    for (const request of REQUESTS) alone.push(...(await turns([request], false)));
    expect(await turns(REQUESTS, false)).toEqual(alone);
    expect(await turns(REQUESTS, true)).toEqual(alone);
    await policy.close();
  });
});
