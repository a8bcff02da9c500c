/** Parameter sets are whatever a plan names: the model knows no name of one. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../src/model/batch.ts';
import { planPolicy } from '../../src/model/memory/plan.ts';
import { bitsOf, openPolicy, randomGroups, SMALL_CAPACITY, SMALL_SHAPE } from '../support/policies.ts';

const SETS = { elder: 'scored', twin: 'scored', mean: 'mixed' } as const;
const BATCH = packBatch(randomGroups([2, 1]));

describe('parameter sets by name', () => {
  it('are copied, mixed, scored under and read, each by its own', async () => {
    const policy = await openPolicy(
      await wasmBackend({ threads: 1 }),
      {},
      { sets: SETS, outputRows: { distributions: 200 } },
    );
    await policy.copySet('elder', 'policy');
    const before = await policy.score(BATCH, 0.9, 'policy', ['distributions']);
    const weights = await policy.readVector('weights');
    policy.writeVector(
      'weights',
      weights.map((value) => 1.25 * value),
    );
    await policy.copySet('mean', 'policy');
    await policy.mixSet('mean', 'elder', 0.5);
    await policy.copySet('twin', 'mean');

    const elder = await policy.score(BATCH, 0.9, 'elder', ['distributions']);
    expect(bitsOf(elder.logprobs)).toEqual(bitsOf(before.logprobs));
    expect(elder.distributions).toEqual(before.distributions);
    expect(bitsOf(await policy.readVector('elder'))).toEqual(bitsOf(weights));
    const mixed = await policy.readVector('mean');
    expect(mixed[7]).toBeCloseTo(1.125 * weights[7], 6);
    expect(bitsOf(await policy.readVector('twin'))).toEqual(bitsOf(mixed));
    const scores = [await policy.score(BATCH, 0.9), await policy.score(BATCH, 0.9, 'twin')];
    expect(bitsOf(scores[1].logprobs)).not.toEqual(bitsOf(scores[0].logprobs));
    await expect(policy.score(BATCH, 0.9, 'mean')).rejects.toThrow('this policy was opened without a mean');
    await expect(policy.copySet('reference', 'policy')).rejects.toThrow('this policy was opened without a reference');
    await policy.close();
  });

  it('take an arena each, and only those that are scored under take panels', () => {
    const bytes = (sets: Readonly<Record<string, 'scored' | 'mixed'>>) =>
      planPolicy(SMALL_SHAPE, { ...SMALL_CAPACITY, sets, rounded: 'f16' }).memory;
    const [none, all] = [bytes({}), bytes(SETS)];
    const added = all.arenas.filter(({ name }) => !none.arenas.some((arena) => arena.name === name));
    expect(added.map(({ name, purpose, storage }) => [name, purpose, storage])).toEqual([
      ['elder', 'elder policy', 'f16'],
      ['twin', 'twin policy', 'f16'],
      ['mean', 'mean policy', 'f32'],
    ]);
    const packed = all.matrices.filter(({ slot }) => slot.arena !== 'weights').map(({ slot }) => slot.arena);
    expect(new Set(packed)).toEqual(new Set(['elder', 'twin']));
  });

  it('cannot take the name of another arena', () => {
    expect(() => planPolicy(SMALL_SHAPE, { ...SMALL_CAPACITY, sets: { kv: 'scored' } })).toThrow('two arenas named kv');
  });
});
