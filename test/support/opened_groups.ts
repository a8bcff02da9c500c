/** Groups whose prompts begin alike, and how far the gradient of their batch is from that of each in a batch of its own. */
import { expect } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { type PackedBatch, packBatch, type TokenGroup } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import { openPolicy } from './policies.ts';

const tokens = (length: number, by: number) => Int32Array.from({ length }, (_, i) => (by * i + (i >> 3)) % 43);
export const [FIRST, SECOND] = [tokens(70, 5), tokens(66, 7)];
const prompt = (opening: Int32Array, ...rest: number[]) => Int32Array.of(...opening, ...rest);

/** Two openings, one of them in two lengths, and a prompt that has none. */
export const OPENED_GROUPS: TokenGroup[] = [
  { prompt: prompt(FIRST, 1, 2), completions: [Int32Array.of(5, 9, 2), Int32Array.of(6, 2), Int32Array.of(5, 9, 2)] },
  { prompt: prompt(SECOND, 4), completions: [Int32Array.of(7, 7, 7, 2)] },
  { prompt: prompt(FIRST, 3), completions: [Int32Array.of(8, 2), Int32Array.of(5)] },
  { prompt: Int32Array.of(1, 2, 3), completions: [Int32Array.of(4, 4, 2)] },
  { prompt: prompt(SECOND, 8, 9), completions: [Int32Array.of(1, 2)] },
  { prompt: prompt(FIRST.subarray(0, 65), 30, 31), completions: [Int32Array.of(9, 9, 2)] },
];
export const OPENED_ROOM = { rows: 600, lossRows: 600, kvRows: 600, context: 128 };
export const OPENED_SHAPE = { qkNorm: true, attentionBias: true };

export const alone = OPENED_GROUPS.map((group) => packBatch([group]));
export const together = packBatch(OPENED_GROUPS);

async function gradientOf(policy: Policy, batches: readonly PackedBatch[]): Promise<Float32Array> {
  for (const batch of batches) {
    const rows = {
      oldLogprobs: 'current' as const,
      refLogprobs: undefined,
      coefficients: Float32Array.from(batch.tokenOf, (t) => 0.5 / (1 + t)),
      entropyCoefficients: Float32Array.from(batch.tokenOf, () => 0.01),
      advantages: new Float32Array(batch.lossRowCount).fill(1),
    };
    await policy.accumulate(batch, 1, rows, { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.28, clipDelta: null, klCoef: 0 });
  }
  return policy.readVector('gradients');
}

/** The largest difference of two gradients, by the largest value of one. */
export async function gradientsDiffer(backend: Backend): Promise<number> {
  const gradients: Float32Array[] = [];
  for (const batches of [[together], alone]) {
    const policy = await openPolicy(backend, OPENED_SHAPE, OPENED_ROOM);
    gradients.push(await gradientOf(policy, batches));
    await policy.close();
  }
  const largest = gradients[1].reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  expect(largest).toBeGreaterThan(0.01);
  return gradients[0].reduce((most, value, i) => Math.max(most, Math.abs(value - gradients[1][i])), 0) / largest;
}
