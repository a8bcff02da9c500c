/** The sampler's handles: whatever is mixed with whatever, a token is the one that it would be alone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthOf } from '../../src/kernels/storage.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { Capacity } from '../../src/model/memory/capacity.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { SampleRequest, SamplingSettings } from '../../src/model/sampling/sample_request.ts';
import type { SampledSequence } from '../../src/model/sampling/sampled_sequence.ts';
import type { Sampler } from '../../src/model/sampling/sampler.ts';
import { openSampler } from '../../src/model/sampling/sampler.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import { expectSameBits } from '../support/compare.ts';
import type { Mixed } from '../support/mixed_sampling.ts';
import { MIXED_CONTEXT, operations, sampledScores, sampleMixed, scoredScores } from '../support/mixed_sampling.ts';
import { NO_FILTERS, openPolicy } from '../support/policies.ts';

const KEY = [11, 3] as const;

interface Turn {
  readonly mixed: Mixed;
  readonly begin: number;
  readonly end: number;
}

/** Runs of tokens that a sequence sampled itself. */
function turnsOf(mixed: Mixed): Turn[] {
  const { labels } = mixed.sequence;
  const turns: Turn[] = [];
  for (let begin = 0; begin < labels.length; begin++) {
    if (labels[begin] !== TOKEN.sampled) continue;
    let end = begin;
    while (labels[end] === TOKEN.sampled) end++;
    turns.push({ mixed, begin, end });
    begin = end;
  }
  return turns;
}

/** Samples turns again, each from all the tokens before it, in another company and without stop ids. */
async function sampleAgain(policy: Policy, sampling: SamplingSettings, turns: readonly Turn[]): Promise<void> {
  const sampler = openSampler(policy, { sampling, samplingKey: KEY });
  const again = turns.map(({ mixed: { sequence }, begin, end }) => {
    const { prefix, rolloutNumber, tokens } = sequence;
    const rules = { stopIds: [], maxTokens: end - begin, room: end };
    const [copy] = sampler.add([{ prefix, rolloutNumbers: [rolloutNumber], ...rules }]);
    sampler.append(copy, tokens.subarray(0, begin));
    return copy;
  });
  await sampler.run(again);
  again.forEach((copy, i) => {
    const { mixed, begin, end } = turns[i];
    expect(copy.tokens).toEqual(mixed.sequence.tokens.subarray(0, end));
    expectSameBits(copy.logprobs.subarray(begin), mixed.sequence.logprobs.subarray(begin, end));
    expectSameBits(copy.keptLogMass.subarray(begin), mixed.sequence.keptLogMass.subarray(begin, end));
  });
}

describe.each([
  ['in a roomy policy', {}, 30, 10_000],
  ['a read in four steps', { stepsPerRead: 4 }, 8, 2500],
  ['13 rows and 5 samples at a time', { rows: 13, completions: 5, kvRows: 500 }, 8, 1500],
] as [string, Partial<Capacity>, number, number][])('random programs, %s', (_, capacity, numRuns, tokens) => {
  const samplings: SamplingSettings[] = [
    NO_FILTERS,
    { temperature: 0.7, topK: 12, topP: 0.9, minP: 0.02 },
    { ...NO_FILTERS, temperature: 0 },
  ];
  const room = { rows: 3000, lossRows: 3000, completions: 256, kvRows: 3000, context: MIXED_CONTEXT, training: false };

  it("have log-probs and entropies that are the scorer's bit for bit, and tokens that they have alone", async () => {
    const backend = await wasmBackend({ inline: true });
    const policy = await openPolicy(backend, { attentionBias: true, qkNorm: true }, { ...room, ...capacity });
    const scorer = await openPolicy(backend, { attentionBias: true, qkNorm: true }, room);
    let seen = 0;
    const property = fc.asyncProperty(operations, fc.constantFrom(...samplings), async (program, sampling) => {
      const mixed = await sampleMixed(policy, { sampling, samplingKey: KEY }, program);
      const sampled = sampledScores(mixed);
      const scored = await scoredScores(scorer, mixed, sampling.temperature || 1);
      expectSameBits(sampled.logprobs, scored.logprobs);
      expectSameBits(sampled.entropies, scored.entropies);
      const turns = mixed.flatMap(turnsOf).reverse();
      await sampleAgain(
        scorer,
        sampling,
        turns.filter((_, i) => i % 3 === 0),
      );
      seen += sampled.logprobs.length;
    });
    await fc.assert(property, { seed: 7, numRuns });
    expect(seen).toBeGreaterThan(tokens);
    await policy.close();
    await scorer.close();
  });
});

const PREFIX = Int32Array.of(3, 1, 4, 1, 5);

function request(changes: Partial<SampleRequest> = {}): SampleRequest {
  return { prefix: PREFIX, rolloutNumbers: [1], stopIds: [], maxTokens: 6, ...changes };
}

async function withSampler<Result>(
  use: (sampler: Sampler, policy: Policy) => Promise<Result>,
  capacity: Partial<Capacity> = {},
): Promise<Result> {
  const policy = await openPolicy(await wasmBackend({ inline: true }), {}, capacity);
  try {
    return await use(openSampler(policy, { sampling: NO_FILTERS, samplingKey: KEY }), policy);
  } finally {
    await policy.close();
  }
}

/** What a sequence of these rules samples when nothing is beside it. */
function alone(changes: Partial<SampleRequest> = {}): Promise<Int32Array> {
  return withSampler(async (sampler) => {
    const [sequence] = sampler.add([request(changes)]);
    await sampler.run([sequence]);
    return sequence.tokens;
  });
}

describe('a sampler', () => {
  it('ends each turn at the stop ids and the limit of its own sequence', async () => {
    const plain = await alone({ maxTokens: 12 });
    await withSampler(async (sampler) => {
      const [stopped, short, long] = sampler.add([
        request({ maxTokens: 12, stopIds: [plain[4]] }),
        request({ maxTokens: 2 }),
        request({ maxTokens: 12 }),
      ]);
      await sampler.run([stopped, short, long]);
      const end = plain.indexOf(plain[4]) + 1;
      expect([stopped.tokens, stopped.finishReason]).toEqual([plain.slice(0, end), 'eos']);
      expect([short.tokens, short.finishReason]).toEqual([plain.slice(0, 2), 'length']);
      expect([long.tokens, long.finishReason]).toEqual([plain, 'length']);
    });
  });

  it('goes on after a turn as it would have without the break, up to the room of the sequence', async () => {
    const plain = await alone({ maxTokens: 12 });
    await withSampler(async (sampler) => {
      const [sequence] = sampler.add([request({ maxTokens: 5, room: 12 })]);
      for (const length of [5, 10, 12]) {
        await sampler.run([sequence]);
        expect([sequence.tokens, sequence.finishReason]).toEqual([plain.slice(0, length), 'length']);
        await sampler.run([sequence]); // its turn has ended
        expect(sequence.tokens).toHaveLength(length);
        sampler.append(sequence, []);
      }
      await sampler.run([sequence]);
      expect([sequence.tokens.length, sequence.finishReason]).toEqual([12, 'length']);
    });
  });

  it('computes a prefix once for all that share it, also for those that come later', async () => {
    await withSampler(async (sampler, policy) => {
      const rows: number[] = [];
      const write = policy.engine.write.bind(policy.engine);
      policy.engine.write = (slot, values, at) => {
        if (slot === policy.slots.inputs.positions) rows.push(lengthOf(values));
        write(slot, values, at);
      };
      const first = sampler.add([request({ maxTokens: 1 }), request({ rolloutNumbers: [2, 3], maxTokens: 1 })]);
      await sampler.run(first);
      const later = sampler.add([request({ maxTokens: 1 })]);
      await sampler.run(later);
      expect(rows).toEqual([PREFIX.length, 1]); // the later one needs what comes out of the last row
      expect(later[0].tokens).toEqual(first[0].tokens);
      expectSameBits(later[0].logprobs, first[0].logprobs);
    });
  });

  it('labels forced tokens as given, without scores, and what a branch inherits with those of its parent', async () => {
    await withSampler(async (sampler) => {
      const [sequence] = sampler.add([request({ maxTokens: 3, room: 12 })]);
      await sampler.run([sequence]);
      sampler.append(sequence, [7, 8]);
      await sampler.run([sequence]);
      expect([...sequence.labels]).toEqual([0, 0, 0, 1, 1, 0, 0, 0]);
      expect([...sequence.logprobs].map((value) => value === 0)).toEqual([...sequence.labels].map((l) => l === 1));
      const branch = sampler.fork(sequence, 4, 99);
      await sampler.run([branch]);
      expect(branch.tokens.subarray(0, 4)).toEqual(sequence.tokens.subarray(0, 4));
      expect([...branch.labels]).toEqual([1, 1, 1, 1, 0, 0, 0]);
      expectSameBits(branch.logprobs.subarray(0, 4), sequence.logprobs.subarray(0, 4));
    });
  });

  it('draws for a branch by its own rollout number, and by position: with the number of its parent it goes on as the parent', async () => {
    await withSampler(async (sampler) => {
      const [sequence] = sampler.add([request({ maxTokens: 12 })]);
      await sampler.run([sequence]);
      const [same, other] = [sampler.fork(sequence, 3, 1), sampler.fork(sequence, 3, 77)];
      await sampler.run([same, other]);
      expect(same.tokens).toEqual(sequence.tokens);
      expect(other.tokens).not.toEqual(sequence.tokens);
    });
  });

  it('samples what several calls run side by side', async () => {
    const [short, long] = [await alone({ maxTokens: 2 }), await alone({ rolloutNumbers: [2], maxTokens: 9 })];
    await withSampler(async (sampler, policy) => {
      let steps = 0;
      const replay = policy.engine.replay.bind(policy.engine);
      policy.engine.replay = (...programs) => {
        steps++;
        return replay(...programs);
      };
      const [a, b] = sampler.add([request({ maxTokens: 2 }), request({ rolloutNumbers: [2], maxTokens: 9 })]);
      const order: string[] = [];
      await Promise.all([
        sampler.run([b]).then(() => order.push('long')),
        sampler.run([a]).then(() => order.push('short')),
      ]);
      expect([a.tokens, b.tokens]).toEqual([short, long]);
      expect([order, steps]).toEqual([['short', 'long'], 9]);
    });
  });

  it('gives the rows of released sequences to others, and says where there are none', async () => {
    const room = { kvRows: 40, rows: 40 };
    await withSampler(async (sampler) => {
      const first = sampler.add([request({ rolloutNumbers: [1, 2, 3, 4, 5, 6, 7] })]); // 5 + 7 × 5 rows
      expect(() => sampler.fork(first[0], 0, 9)).toThrow(
        /5 cache rows for a sequence — the longest free stretch of 40 is 0/,
      );
      expect(() => sampler.add([request({ prefix: Int32Array.of(9) })])).toThrow(/Release sequences/);
      sampler.release(first.slice(2, 4));
      const second = sampler.add([request({ rolloutNumbers: [8], maxTokens: 11 })]);
      await sampler.run([...first.slice(4), ...second]);
      expect(second[0].tokens).toEqual(await alone({ rolloutNumbers: [8], maxTokens: 11 }));
      sampler.release([first[0], first[1], ...first.slice(4), ...second]);
      expect(sampler.add([request({ prefix: Int32Array.of(9, 9), maxTokens: 39 })])).toHaveLength(1);
    }, room);
  });

  it('adds nothing where not everything fits', async () => {
    await withSampler(
      async (sampler) => {
        const tooMany = request({ rolloutNumbers: [1, 2, 3, 4, 5, 6, 7, 8] });
        expect(() => sampler.add([request(), tooMany])).toThrow(/cache rows/);
        expect(sampler.add([request({ rolloutNumbers: [1, 2, 3, 4, 5, 6, 7] })])).toHaveLength(7);
      },
      { kvRows: 40, rows: 40 },
    );
  });

  it.each([
    ['tokens beyond the room', (s: Sampler, q: SampledSequence) => s.append(q, new Array(7).fill(1)), /room for 6/],
    ['a token outside the vocabulary', (s: Sampler, q: SampledSequence) => s.append(q, [43]), /token 43 is outside/],
    ['a cut behind the last token', (s: Sampler, q: SampledSequence) => s.fork(q, 1, 2), /a fork after token 1/],
    ['a room beyond the context', (s: Sampler, q: SampledSequence) => s.fork(q, 0, 2, { room: 60 }), /opened for 64/],
    [
      'a sequence that was released',
      (s: Sampler, q: SampledSequence) => {
        s.release([q]);
        s.release([q]);
      },
      /does not hold/,
    ],
  ])('refuses %s', async (_, use, message) => {
    await withSampler(async (sampler) => {
      const [sequence] = sampler.add([request()]);
      expect(() => use(sampler, sequence)).toThrow(message);
    });
  });

  it('refuses to append to a sequence whose turn is being sampled, and to release it', async () => {
    await withSampler(async (sampler) => {
      const [sequence] = sampler.add([request()]);
      const running = sampler.run([sequence]);
      expect(() => sampler.append(sequence, [1])).toThrow(/turn is not over/);
      expect(() => sampler.release([sequence])).toThrow(/turn is not over/);
      await running;
      sampler.release([sequence]);
    });
  });
});
