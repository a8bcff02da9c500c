/** Low-rank adapters on software adapters of WebGPU: gradients as in float64, and the sampler is the scorer. */
import { expect, it } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import { generate } from '../../src/model/sampling/generation.ts';
import { loadBackend } from '../support/backends.ts';
import { normals } from '../support/data.ts';
import { bitsOf, generationSettings, openPolicy, randomGroups, takeGradients } from '../support/policies.ts';
import { WITH_EVERYTHING } from '../support/ten_steps.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const GROUPS = randomGroups([3, 2], { seed: 7 });
const BATCH = packBatch(GROUPS);
const DERIVATIVES = {
  logprobs: Float32Array.from(normals([BATCH.lossRowCount], 21)),
  entropies: Float32Array.from(normals([BATCH.lossRowCount], 22, 0.1)),
};

const open = (backend: Backend): Promise<Policy> =>
  openPolicy(backend, WITH_EVERYTHING, {}, 1, { adapter: { rank: 6, scale: 1.5, targets: ADAPTER_TARGETS } });

async function gradientsOf(policy: Policy): Promise<ReadonlyMap<string, ArrayLike<number>>> {
  await policy.forward(BATCH, 0.9);
  await policy.backward(DERIVATIVES);
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
  const requests = GROUPS.map(({ prompt }, i) => ({ prompt, rolloutNumbers: [2 * i, 2 * i + 1] }));
  const sampled = await generate(policy, requests, generationSettings({ maxCompletionTokens: 8 }));
  for (const [i, group] of sampled.entries()) {
    for (const { tokens, logprobs } of group) {
      const batch = packBatch([{ prompt: requests[i].prompt, completions: [tokens] }]);
      expect(bitsOf((await policy.score(batch, 1)).logprobs)).toEqual(bitsOf(logprobs));
    }
  }
  await policy.close();
  await reference.close();
});
