/** Scores of sequences do not depend on how they are cut into batches, and are those of one packed batch. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchesToScore, scoreSequences } from '../../src/grpo/score/score_sequences.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { SequenceToScore } from '../../src/methods/uses/figure_tools.ts';
import { groupByPrefix, packBatch, sizesOf } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import { openPolicy, randomGroups } from '../support/policies.ts';

const GROUPS = randomGroups([4, 1, 6], { seed: 12, longest: 20 });
const SEQUENCES = GROUPS.flatMap(({ prompt, completions }) =>
  completions.map((tokens): SequenceToScore => ({ prefix: prompt, tokens })),
);
const TEMPERATURE = 0.8;

describe('scoreSequences', () => {
  let policy: Policy;
  let narrow: Policy;
  beforeAll(async () => {
    const backend = await wasmBackend({ inline: true, fma: false });
    policy = await openPolicy(backend, {}, { outputRows: { distributions: 256 } });
    narrow = await openPolicy(backend, {}, { rows: 60, lossRows: 40, groups: 1, outputRows: { distributions: 25 } });
  });
  afterAll(() => Promise.all([policy.close(), narrow.close()]));

  it('gives the log-probs of one packed batch, by sequence and token', async () => {
    const batch = packBatch(GROUPS);
    const { logprobs } = await policy.score(batch, TEMPERATURE);
    const scores = await scoreSequences(policy, SEQUENCES, { temperature: TEMPERATURE });
    expect(scores.map((one) => one.logprobs.length)).toEqual(SEQUENCES.map(({ tokens }) => tokens.length));
    expect(scores.every(({ distributions }) => distributions === undefined)).toBe(true);
    logprobs.forEach((value, row) => {
      expect(scores[batch.completionOf[row]].logprobs[batch.tokenOf[row]]).toBe(value);
    });
  });

  it('gives the same bits however little the engine holds at a time', async () => {
    const request = { temperature: TEMPERATURE, distributions: true };
    expect(await scoreSequences(narrow, SEQUENCES, request)).toEqual(await scoreSequences(policy, SEQUENCES, request));
  });

  it('cuts between any two sequences, and gives neighbours under one prompt its rows once', () => {
    for (const isWhole of [false, true]) {
      const batches = batchesToScore(narrow, SEQUENCES, isWhole);
      expect(batches.flat()).toEqual(SEQUENCES);
      expect(batches.length).toBeGreaterThan(3);
      for (const own of batches) {
        const { rows, lossRows, groups } = sizesOf(groupByPrefix(own));
        expect(rows).toBeLessThanOrEqual(60);
        expect(lossRows).toBeLessThanOrEqual(isWhole ? 25 : 40);
        expect(groups).toBe(1);
      }
    }
    expect(batchesToScore(policy, SEQUENCES, false)).toHaveLength(1);
  });

  it('leaves given tokens what the caller knows of them, or 0', async () => {
    const labels = SEQUENCES.map(({ tokens }) => tokens.map((_, t) => (t % 3 === 1 ? TOKEN.given : TOKEN.sampled)));
    const given = SEQUENCES.map((sequence, i) => ({ ...sequence, labels: Uint8Array.from(labels[i]) }));
    const known = given.map((one) => ({ ...one, givenLogprobs: new Float32Array(one.tokens.length).fill(-2.5) }));
    const request = { temperature: TEMPERATURE };
    const plain = await scoreSequences(policy, SEQUENCES, request);
    const zeros = await scoreSequences(policy, given, request);
    const filled = await scoreSequences(policy, known, request);
    labels.forEach((own, i) => {
      own.forEach((label, t) => {
        const isGiven = label === TOKEN.given;
        expect(zeros[i].logprobs[t]).toBe(isGiven ? 0 : plain[i].logprobs[t]);
        expect(filled[i].logprobs[t]).toBe(isGiven ? -2.5 : plain[i].logprobs[t]);
      });
    });
  });

  it('asks nothing of the engine where there are no sequences', async () => {
    expect(await scoreSequences(policy, [], { temperature: TEMPERATURE })).toEqual([]);
  });
});
