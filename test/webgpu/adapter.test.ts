/** Low-rank adapters on software adapters of WebGPU: gradients as in float64, and the sampler is the scorer. */
import { expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import { loadBackend } from '../support/backends.ts';
import { accumulate, openPolicy, randomGroups, sampledAndScored, takeGradients } from '../support/policies.ts';
import { WITH_EVERYTHING } from '../support/ten_steps.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const GROUPS = randomGroups([3, 2], { seed: 7 });
const BATCH = packBatch(GROUPS);

const open = (backend: Backend): Promise<Policy> =>
  openPolicy(backend, WITH_EVERYTHING, {}, 1, { adapter: { rank: 6, scale: 1.5, targets: ADAPTER_TARGETS } });

async function gradientsOf(policy: Policy): Promise<ReadonlyMap<string, ArrayLike<number>>> {
  await accumulate(policy, BATCH);
  return takeGradients(policy);
}

it.each(REQUIRED_ADAPTERS)('gradients are those of float64, and the sampler is the scorer, on %s', async (label) => {
  const [policy, reference] = [await open(await loadBackend(`webgpu:${label}`)), await open(referenceBackend)];
  const [gradients, expected] = [await gradientsOf(policy), await gradientsOf(reference)];
  expect(gradients.size).toBe(policy.adapterParameters.length);
  for (const [name, values] of expected) {
    const scale = Math.max(...Array.from(values, Math.abs));
    const actual = gradients.get(name) as ArrayLike<number>;
    const error = Math.max(...Array.from(values, (value, i) => Math.abs(value - actual[i])));
    expect(error / scale, name).toBeLessThan(1e-4);
  }
  for (const { sampled, scored } of await sampledAndScored(policy, GROUPS, 8)) expect(scored).toEqual(sampled);
  await policy.close();
  await reference.close();
});
