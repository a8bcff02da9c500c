/**
 * Last hidden rows on the host: the values that they have in float64, the gradient of a head over them by finite differences
 * through the whole model, and the same bits whatever the threads and the micro-batches.
 */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { type PackedBatch, packBatch, splitGroups } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import { requiredBackends } from '../support/backends.ts';
import { expectSameBits } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { worstRelative } from '../support/golden_model.ts';
import { NO_UPDATE, openPolicy, REFERENCE, randomGroups, SMALL_SHAPE } from '../support/policies.ts';

const ROOM = { rows: 200, lossRows: 200, kvRows: 400, outputRows: { hidden: 200 } };
const GROUPS = randomGroups([3, 4, 2], { seed: 5 });
const D = SMALL_SHAPE.hiddenSize;
const HEAD = normals([D], 31, 0.3);
const TARGETS = normals([packBatch(GROUPS).lossRowCount], 32);

/** ½·Σ (w·h − R)² over rows, and its derivatives. */
function headLoss(hidden: ArrayLike<number>, targets: ArrayLike<number>) {
  const slopes = new Float32Array(targets.length * D);
  let loss = 0;
  for (let row = 0; row < targets.length; row++) {
    let error = -targets[row];
    for (let i = 0; i < D; i++) error += HEAD[i] * hidden[row * D + i];
    loss += error ** 2 / 2;
    for (let i = 0; i < D; i++) slopes[row * D + i] = error * HEAD[i];
  }
  return { loss, slopes };
}

/** The gradient of that loss, and of one by log-prob and entropy beside it, over micro-batches of so many groups. */
async function gradientOf(policy: Policy, groups = 16, byTarget = 0): Promise<Float32Array> {
  let first = 0;
  for (const batch of splitGroups(GROUPS, { ...policy.capacity, groups }).map(packBatch)) {
    const { hidden = new Float32Array() } = await policy.forward(batch, 0.7, ['hidden']);
    const { slopes } = headLoss(hidden, TARGETS.slice(first, first + batch.lossRowCount));
    first += batch.lossRowCount;
    const each = new Float32Array(batch.lossRowCount).fill(byTarget);
    await policy.backward({ logprobs: each, entropies: each, hidden: slopes });
  }
  await policy.optimize(NO_UPDATE);
  return policy.readVector('gradients');
}

const rowsOf = async (backend: Backend, which: 'policy' | 'reference', batch: PackedBatch): Promise<Float32Array> => {
  const policy = await openPolicy(backend, {}, { ...ROOM, sets: REFERENCE });
  const weights = await policy.readVector('weights');
  policy.writeVector(
    'reference',
    weights.map((value) => 0.9 * value),
  );
  const { hidden = new Float32Array() } = await policy.score(batch, 1, which, ['hidden']);
  await policy.close();
  return hidden;
};

describe.each(await requiredBackends())('hidden rows on $label', ({ backend }) => {
  it.each(['policy', 'reference'] as const)('are those of float64, of the %s', async (which) => {
    const batch = packBatch(GROUPS);
    const [own, exact] = [await rowsOf(backend, which, batch), await rowsOf(referenceBackend, which, batch)];
    expect(own).toHaveLength(batch.lossRowCount * D);
    expect(worstRelative(own, exact)).toBeLessThanOrEqual(1e-5);
  });

  it('have the gradient that they have in float64', async () => {
    const gradients: Float32Array[] = [];
    for (const each of [referenceBackend, backend]) {
      const policy = await openPolicy(each, {}, ROOM);
      gradients.push(await gradientOf(policy, 2, 0.01));
      await policy.close();
    }
    expect(worstRelative(gradients[1], gradients[0])).toBeLessThanOrEqual(1e-5);
  });
});

describe('the gradient of a head over hidden rows', () => {
  it.each([
    ['plain', {}],
    ['scaled logits', { family: { logitScale: 0.25 } }],
  ])('is that of finite differences, of %s', async (_, shape) => {
    const policy = await openPolicy(referenceBackend, shape, ROOM);
    const batch = packBatch(GROUPS);
    const gradients = await gradientOf(policy);
    const weights = await policy.readVector('weights');
    const direction = normals([weights.length], 3);
    const lossAt = async (step: number): Promise<number> => {
      policy.writeVector(
        'weights',
        Float64Array.from(weights, (value, i) => value + step * direction[i]),
      );
      await policy.score(batch, 1, 'policy', ['hidden']);
      const rows = await policy.engine.read(policy.slots.outputs.hidden?.values ?? policy.slots.hidden);
      return headLoss(rows, TARGETS).loss;
    };
    const step = 1e-4;
    const [near, far] = [
      (await lossAt(step)) - (await lossAt(-step)),
      (await lossAt(2 * step)) - (await lossAt(-2 * step)),
    ];
    const slope = gradients.reduce((sum, value, i) => sum + value * direction[i], 0);
    const norm = Math.hypot(...gradients);
    expect(norm).toBeGreaterThan(0.1);
    expect(Math.abs(slope - (8 * near - far) / (12 * step))).toBeLessThanOrEqual(1e-6 * norm);
    await policy.close();
  });

  it('has the same bits with 1, 2 and 3 threads, in one batch and in three', async () => {
    const found: Float32Array[] = [];
    for (const [threads, groups] of [
      [1, 16],
      [2, 16],
      [3, 1],
    ]) {
      const policy = await openPolicy(await wasmBackend({ threads }), {}, ROOM);
      found.push(await gradientOf(policy, groups, 0.01));
      await policy.close();
    }
    for (const other of found.slice(1)) expectSameBits(other, found[0]);
  });

  it('is nothing more where the derivatives are 0', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 2 }), {}, ROOM);
    const batch = packBatch(GROUPS);
    const each = new Float32Array(batch.lossRowCount).fill(0.02);
    const taken: Float32Array[] = [];
    for (const slopes of [undefined, new Float32Array(batch.lossRowCount * D)]) {
      await policy.forward(batch, 1, ['hidden']);
      await policy.backward({ logprobs: each, entropies: each, ...(slopes && { hidden: slopes }) });
      await policy.optimize(NO_UPDATE);
      taken.push(await policy.readVector('gradients'));
    }
    expectSameBits(taken[1], taken[0]);
    await policy.close();
  });

  it('is refused where the policy was opened without', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 1 }));
    await expect(policy.forward(packBatch(GROUPS), 1, ['hidden'])).rejects.toThrow(/without hidden of the policy/);
    await policy.close();
  });
});
