/** Completions of one prompt that sample the same tokens are one row as long as they do, and nothing else changes. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { SampledSequence } from '../../src/model/sampling/sampled_sequence.ts';
import { openSampler } from '../../src/model/sampling/sampler.ts';
import { expectSameBits } from '../support/compare.ts';
import { NO_FILTERS, openPolicy } from '../support/policies.ts';
import { countInputRows } from '../support/rows.ts';

const PROMPT = Int32Array.of(3, 1, 4);
const RULES = { stopIds: [2, 5, 9], maxTokens: 12 };

/** Sure enough of some tokens, and not of others, that a group both agrees and parts. */
const LOW = { ...NO_FILTERS, temperature: 0.15 };

async function sample(policy: Policy, temperature: number, sharesRows: boolean): Promise<SampledSequence[]> {
  const sampling = { ...NO_FILTERS, temperature };
  const sampler = openSampler(policy, { sampling, samplingKey: [11, 3], sharesRows });
  const requests = [PROMPT, Int32Array.of(7, 8)].map((prefix, i) => ({
    prefix,
    rolloutNumbers: Array.from({ length: 16 }, (_, j) => 16 * i + j),
    ...RULES,
  }));
  const sequences = sampler.add(requests);
  await sampler.run(sequences);
  sampler.release(sequences);
  return sequences;
}

/** Distinct beginnings of completions that are an input: a row each, and no more. */
function distinctRows(sequences: readonly SampledSequence[]): number {
  const beginnings = sequences.flatMap(({ prefix, tokens }) =>
    Array.from({ length: tokens.length - 1 }, (_, t) => `${prefix.join()};${tokens.subarray(0, t + 1).join()}`),
  );
  return new Set(beginnings).size;
}

describe('completions that sample the same tokens', () => {
  it.each([0, LOW.temperature, 1])(
    'are those of each alone, a row for each beginning (T = %d)',
    async (temperature) => {
      const policy = await openPolicy(await wasmBackend({ threads: 2 }), { qkNorm: true });
      const rows = countInputRows(policy);
      const shared = await sample(policy, temperature, true);
      const sharedRows = rows();
      const alone = await sample(policy, temperature, false);
      const aloneRows = rows() - sharedRows;
      shared.forEach(({ tokens, logprobs, entropies }, i) => {
        expect(tokens).toEqual(alone[i].tokens);
        expectSameBits(logprobs, alone[i].logprobs);
        expectSameBits(entropies, alone[i].entropies);
      });
      const prompts = PROMPT.length + 2;
      expect(sharedRows).toBe(prompts + distinctRows(shared));
      expect(aloneRows).toBe(prompts + alone.reduce((sum, { tokens }) => sum + tokens.length - 1, 0));
      await policy.close();
    },
  );

  it('have those of a holder that has been given back computed again', async () => {
    const policy = await openPolicy(await wasmBackend({ inline: true }));
    const settings = { sampling: { ...NO_FILTERS, temperature: 0 }, samplingKey: [11, 3] as const };
    const rules = { prefix: PROMPT, stopIds: [], maxTokens: 4, room: 12 };
    const sampler = openSampler(policy, settings);
    const [first, second] = sampler.add([{ ...rules, rolloutNumbers: [0, 1] }]);
    await sampler.run([first, second]);
    sampler.release([first]);
    const [other] = sampler.add([{ ...rules, prefix: Int32Array.of(8, 6), rolloutNumbers: [2] }]);
    sampler.append(second, [7, 7]);
    await sampler.run([other, second]);
    const again = openSampler(policy, { ...settings, sharesRows: false });
    const [alone] = again.add([{ ...rules, rolloutNumbers: [1] }]);
    await again.run([alone]);
    again.append(alone, [7, 7]);
    await again.run([alone]);
    expect(second.tokens).toEqual(alone.tokens);
    expectSameBits(second.logprobs, alone.logprobs);
    await policy.close();
  });
});
