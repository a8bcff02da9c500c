/**
 * Whole distributions: the log-probs that the head's own kernels know of one token, of every token; gradients of any loss
 * of them; and the same bits whatever the threads and the micro-batches.
 */
import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { PackedBatch } from '../../../../src/model/batch.ts';
import { packBatch, splitGroups } from '../../../../src/model/batch.ts';
import { logSoftmaxRows } from '../../../../src/model/distributions.ts';
import type { Policy, Scores } from '../../../../src/model/policy.ts';
import { requiredBackends } from '../../../../test/support/backends.ts';
import { expectSameBits } from '../../../../test/support/compare.ts';
import { normals } from '../../../../test/support/data.ts';
import { worstRelative } from '../../../../test/support/golden_model.ts';
import { NO_UPDATE, openPolicy, REFERENCE, randomGroups, SMALL_SHAPE } from '../../../../test/support/policies.ts';
import { uniformDivergences } from '../../methods/uses/uniform_kl.ts';

const ROOM = { rows: 200, lossRows: 200, kvRows: 400, outputRows: { distributions: 200 } };
const GROUPS = randomGroups([3, 4, 2], { seed: 5 });
const V = SMALL_SHAPE.vocabSize;
const T = 0.7;

/** The largest |a − b|. */
function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

describe.each(await requiredBackends())('distributions on $label', ({ backend }) => {
  it.each(['policy', 'reference'] as const)("hold the kernels' log-probs and entropies of the %s", async (which) => {
    const policy = await openPolicy(backend, {}, { ...ROOM, sets: REFERENCE });
    const weights = await policy.readVector('weights');
    policy.writeVector(
      'reference',
      weights.map((value) => 0.9 * value),
    );
    const batch = packBatch(GROUPS);
    const {
      logprobs,
      entropies,
      distributions = new Float32Array(),
    } = await policy.score(batch, T, which, ['distributions']);
    const rows = Array.from({ length: batch.lossRowCount }, (_, row) => distributions.slice(row * V, (row + 1) * V));
    const targets = rows.map((row, i) => row[batch.targets[i]]);
    const spread = rows.map((row) => row.reduce((sum: number, x) => sum - Math.exp(x) * x, 0));
    expect(distributions).toHaveLength(batch.lossRowCount * V);
    expect(farthest(targets, logprobs)).toBeLessThanOrEqual(2e-6);
    expect(farthest(spread, entropies)).toBeLessThanOrEqual(4e-6);
    await policy.close();
  });

  it.each([
    ['a head of its own', {}],
    ['a tied head', { tieWordEmbeddings: true }],
  ])('have the gradient that they have in float64, with %s', async (_, shape) => {
    const gradients: Float32Array[] = [];
    for (const each of [referenceBackend, backend]) {
      const policy = await openPolicy(each, shape, ROOM);
      gradients.push((await gradientOf(policy, 2, 0.01)).gradients);
      await policy.close();
    }
    expect(worstRelative(gradients[1], gradients[0])).toBeLessThanOrEqual(1e-4);
  });
});

/** A loss that is linear in the log-probs of every token, Σ w·ln p, by the tempered logits. */
function derivatives(distributions: Float32Array, w: Float64Array): Float32Array {
  const out = new Float32Array(distributions.length);
  for (let begin = 0; begin < out.length; begin += V) {
    const sum = w.slice(begin, begin + V).reduce((total, x) => total + x, 0);
    for (let i = begin; i < begin + V; i++) out[i] = w[i] - sum * Math.exp(distributions[i]);
  }
  return out;
}

interface Pass {
  readonly gradients: Float32Array;
  readonly scores: Scores[];
}

/** One gradient of that loss, and of a loss by log-prob and entropy beside it, over micro-batches of so many groups. */
async function gradientOf(policy: Policy, groups: number, byTarget = 0): Promise<Pass> {
  const scores: Scores[] = [];
  let first = 0;
  for (const batch of splitGroups(GROUPS, { ...policy.capacity, groups }).map(packBatch)) {
    const forward = await policy.forward(batch, T, ['distributions']);
    scores.push(forward);
    const w = weightsFrom(first, batch);
    first += batch.lossRowCount;
    const each = new Float32Array(batch.lossRowCount).fill(byTarget);
    await policy.backward({
      logprobs: each,
      entropies: each,
      distributions: derivatives(forward.distributions ?? new Float32Array(), w),
    });
  }
  await policy.optimize(NO_UPDATE);
  return { gradients: await policy.readVector('gradients'), scores };
}

const WEIGHTS = normals([packBatch(GROUPS).lossRowCount * V], 77, 0.1);
const weightsFrom = (first: number, { lossRowCount }: PackedBatch): Float64Array =>
  WEIGHTS.slice(first * V, (first + lossRowCount) * V);

describe('the gradient of a loss of whole distributions', () => {
  it.each([
    ['a head of its own', {}],
    ['a tied head', { tieWordEmbeddings: true }],
  ])('is that of finite differences, with %s', async (_, shape) => {
    const policy = await openPolicy(referenceBackend, shape, ROOM);
    const batch = packBatch(GROUPS);
    const { gradients } = await gradientOf(policy, 16);
    const weights = await policy.readVector('weights');
    const direction = normals([weights.length], 3);
    const lossAt = async (step: number): Promise<number> => {
      policy.writeVector(
        'weights',
        Float64Array.from(weights, (value, i) => value + step * direction[i]),
      );
      await policy.score(batch, T, 'policy', ['distributions']);
      const logits = await policy.engine.read(policy.slots.outputs.distributions?.values ?? policy.slots.hidden);
      let loss = 0;
      for (let row = 0; row < batch.lossRowCount; row++) {
        const own = Array.from(logits.slice(row * V, (row + 1) * V), (z) => z / T);
        const lse = Math.log(own.reduce((sum, u) => sum + Math.exp(u), 0));
        own.forEach((u, v) => {
          loss += WEIGHTS[row * V + v] * (u - lse);
        });
      }
      return loss;
    };
    const step = 1e-4;
    const [near, far] = [
      (await lossAt(step)) - (await lossAt(-step)),
      (await lossAt(2 * step)) - (await lossAt(-2 * step)),
    ];
    const slope = gradients.reduce((sum, value, i) => sum + value * direction[i], 0);
    const norm = Math.hypot(...gradients);
    expect(norm).toBeGreaterThan(0.1);
    expect(Math.abs(slope - (8 * near - far) / (12 * step))).toBeLessThanOrEqual(1e-5 * norm);
    await policy.close();
  });

  it.each([
    ['a head of its own', {}],
    ['a tied head', { tieWordEmbeddings: true }],
  ])('has the same bits with 1, 2 and 3 threads, in one batch and in three, with %s', async (_, shape) => {
    const found: Pass[] = [];
    for (const [threads, groups] of [
      [1, 16],
      [2, 16],
      [3, 1],
    ]) {
      const policy = await openPolicy(await wasmBackend({ threads }), shape, ROOM);
      found.push(await gradientOf(policy, groups, 0.01));
      await policy.close();
    }
    const [first, ...others] = found;
    expect(first.gradients.some((value) => value !== 0)).toBe(true);
    for (const { gradients } of others) expectSameBits(gradients, first.gradients);
  });

  it('is nothing more where the derivatives are 0', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 2 }), { tieWordEmbeddings: true }, ROOM);
    const batch = packBatch(GROUPS);
    const each = new Float32Array(batch.lossRowCount).fill(0.02);
    const taken: Float32Array[] = [];
    for (const dLogits of [undefined, new Float32Array(batch.lossRowCount * V)]) {
      await policy.forward(batch, T, ['distributions']);
      await policy.backward({ logprobs: each, entropies: each, ...(dLogits && { distributions: dLogits }) });
      await policy.optimize(NO_UPDATE);
      taken.push(await policy.readVector('gradients'));
    }
    expectSameBits(taken[1], taken[0]);
    await policy.close();
  });

  it('is refused for a batch of more rows than there is room for, and without distributions', async () => {
    const policy = await openPolicy(
      await wasmBackend({ threads: 1 }),
      {},
      { ...ROOM, outputRows: { distributions: 8 } },
    );
    const batch = packBatch(GROUPS);
    await expect(policy.forward(batch, 1, ['distributions'])).rejects.toThrow(/opened for 8; cut the batch$/);
    await policy.forward(batch, 1);
    const each = new Float32Array(batch.lossRowCount);
    const dLogits = new Float32Array(batch.lossRowCount * V);
    await expect(policy.backward({ logprobs: each, entropies: each, distributions: dLogits })).rejects.toThrow(
      /no distributions$/,
    );
    await policy.close();
    const plain = await openPolicy(await wasmBackend({ threads: 1 }));
    await expect(plain.forward(batch, 1, ['distributions'])).rejects.toThrow(/without distributions of the policy/);
    await plain.close();
  });
});

describe('log-softmax on the host', () => {
  it('sums to 1, whatever the size of the logits', () => {
    const rows = logSoftmaxRows([1000, 1001, 999, -1e30, 0, 0], 3, 0.5);
    for (const begin of [0, 3]) {
      const sum = rows.slice(begin, begin + 3).reduce((total, x) => total + Math.exp(x), 0);
      expect(sum).toBeCloseTo(1, 6);
    }
    expect(rows[1] - rows[0]).toBeCloseTo(2, 5);
  });

  it('is farther from the uniform distribution the surer it is', () => {
    const [flat, sure] = uniformDivergences(logSoftmaxRows([0, 0, 0, 0, 5, 0, 0, 0], 4, 1), 4);
    expect(flat).toBeCloseTo(0, 6);
    const lse = Math.log(Math.exp(5) + 3);
    expect(sure).toBeCloseTo(lse - 5 / 4 - Math.log(4), 5);
  });
});
