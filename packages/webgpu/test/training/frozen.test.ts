/** Frozen tensors on software adapters: what is trained has the bits that it has where all are. */
import { expect, it } from 'vitest';
import { packBatch } from '../../../../src/model/batch.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { accumulate, bitsOf, openPolicy, randomGroups, takeGradients } from '../../../../test/support/policies.ts';
import { WITH_EVERYTHING } from '../../../../test/support/ten_steps.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const BATCH = packBatch(randomGroups([3, 2], { seed: 7 }));
/** The tied table, the lowest layer, and of the highest its q/k/v and the norm of its keys. */
const isFrozen = (name: string): boolean =>
  /embed_tokens|layers\.0|layers\.1\.self_attn\.([qkv]_proj|k_norm)/.test(name);

async function gradientsOf(policy: Policy): Promise<ReadonlyMap<string, Int32Array>> {
  await accumulate(policy, BATCH);
  const gradients = await takeGradients(policy);
  await policy.close();
  return new Map([...gradients].map(([name, values]) => [name, bitsOf(Float32Array.from(values))]));
}

it.each(REQUIRED_ADAPTERS)('the others have the same gradients, to the bit, on %s', async (label) => {
  const backend = await loadBackend(`webgpu:${label}`);
  const some = await gradientsOf(
    await openPolicy(backend, WITH_EVERYTHING, {}, 1, { isTrainable: (name) => !isFrozen(name) }),
  );
  const all = await gradientsOf(await openPolicy(backend, WITH_EVERYTHING));
  expect([...some.keys()]).toEqual([...all.keys()].filter((name) => !isFrozen(name)));
  expect(some.size).toBeGreaterThan(5);
  for (const [name, bits] of some) expect(bits, name).toEqual(all.get(name));
});
