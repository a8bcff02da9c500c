/** Equal completions of a group are one in a batch: the scores and gradients are those of each by itself. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch, type TokenGroup } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import { expectSameBits } from '../support/compare.ts';
import { inCompletionOrder, openPolicy } from '../support/policies.ts';

const PROMPT = Int32Array.of(3, 1, 4, 1);
const [LONG, SHORT] = [Int32Array.of(5, 9, 2, 6, 5, 3), Int32Array.of(5, 8, 2)];
const TOGETHER: TokenGroup[] = [{ prompt: PROMPT, completions: [LONG, SHORT, LONG, LONG] }];
/** The same with a prompt of its own for each, so that nothing is shared. */
const APART: TokenGroup[] = TOGETHER[0].completions.map((tokens) => ({ prompt: PROMPT, completions: [tokens] }));

/** Gradients where each token's loss weighs as much as its completion says. */
async function gradientOf(policy: Policy, groups: readonly TokenGroup[], weights: readonly number[]) {
  const batch = packBatch(groups);
  await policy.accumulate(
    batch,
    1,
    {
      oldLogprobs: 'current',
      refLogprobs: undefined,
      coefficients: Float32Array.from(batch.completionOf, (completion) => weights[completion]),
      entropyCoefficients: Float32Array.from(batch.completionOf, () => 0.01),
      advantages: new Float32Array(batch.lossRowCount).fill(1),
    },
    { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.28, clipDelta: null, klCoef: 0 },
  );
  return policy.readVector('gradients');
}

const open = async () => openPolicy(await wasmBackend({ threads: 2 }), { qkNorm: true, attentionBias: true });

describe('equal completions of a group', () => {
  it('take the rows of one', () => {
    expect(packBatch(TOGETHER).rowCount).toBe(PROMPT.length + LONG.length - 1 + SHORT.length - 1);
    expect(packBatch(TOGETHER).lossRowCount).toBe(3 * LONG.length + SHORT.length);
  });

  it("have each its own scores, which are one completion's, bit for bit", async () => {
    const policy = await open();
    const scoresOf = async (groups: readonly TokenGroup[]) => {
      const batch = packBatch(groups);
      const { logprobs, entropies } = await policy.score(batch, 0.8);
      return { logprobs: inCompletionOrder(batch, logprobs), entropies: inCompletionOrder(batch, entropies) };
    };
    const [together, apart] = [await scoresOf(TOGETHER), await scoresOf(APART)];
    await policy.close();
    expectSameBits(together.logprobs, apart.logprobs);
    expectSameBits(together.entropies, apart.entropies);
  });

  it('give the gradient of all of them', async () => {
    const policies = [await open(), await open()];
    const weights = [0.5, 0.25, -0.125, 0.5];
    const [together, apart] = [
      await gradientOf(policies[0], TOGETHER, weights),
      await gradientOf(policies[1], APART, weights),
    ];
    for (const policy of policies) await policy.close();
    const largest = apart.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const apartBy = together.reduce((most, value, i) => Math.max(most, Math.abs(value - apart[i])), 0);
    expect(largest).toBeGreaterThan(0.01);
    expect(apartBy).toBeLessThan(largest * 2 ** -20);
  });
});
