/** Low-rank adapters on software adapters of WebGPU: gradients as in float64, and the sampler is the scorer. */
import { expect, it } from 'vitest';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { referenceBackend } from '../../../../src/kernels/reference/engine.ts';
import type { Storage } from '../../../../src/kernels/storage.ts';
import { ADAPTER_TARGETS } from '../../../../src/model/adapter.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import { generate } from '../../../../src/model/sampling/generation.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import {
  accumulate,
  generationSettings,
  openPolicy,
  randomGroups,
  sampledAndScored,
  takeGradients,
} from '../../../../test/support/policies.ts';
import { WITH_EVERYTHING } from '../../../../test/support/ten_steps.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const GROUPS = randomGroups([3, 2], { seed: 7 });
const BATCH = packBatch(GROUPS);

/** @param storage  of matrices whose rows are blocks, embedding and head included */
const open = (backend: Backend, storage: Storage = 'f32', useDora = false): Promise<Policy> =>
  openPolicy(backend, WITH_EVERYTHING, {}, 1, {
    adapter: { rank: 6, scale: 1.5, targets: ADAPTER_TARGETS, useDora },
    storageOf: (name) => (/norm|bias|down_proj/.test(name) ? 'f32' : storage),
  });

async function gradientsOf(policy: Policy): Promise<ReadonlyMap<string, ArrayLike<number>>> {
  await accumulate(policy, BATCH);
  return takeGradients(policy);
}

/** On one adapter without magnitudes, too, and on both before a release. */
const CASES = [
  ...REQUIRED_ADAPTERS.map((label) => [label, true] as const),
  ...fewOf(REQUIRED_ADAPTERS, { quick: 1, all: 1 }).map((label) => [label, false] as const),
];

it.each(CASES)(
  'gradients are those of float64, the sampler is the scorer, on %s, magnitudes: %s',
  async (label, useDora) => {
    const policy = await open(await loadBackend(`webgpu:${label}`), 'f32', useDora);
    const reference = await open(referenceBackend, 'f32', useDora);
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
  },
);

it.each(REQUIRED_ADAPTERS.slice(0, 1))(
  'rollouts from a copy in 8 bits are those of a base in 8 bits, on %s',
  async (label) => {
    const backend = await loadBackend(`webgpu:${label}`);
    const requests = GROUPS.map(({ prompt }, i) => ({ prompt, rolloutNumbers: [2 * i, 2 * i + 1] }));
    const sampledBy = async (policy: Policy, fromCopy = false): Promise<unknown> => {
      const completions = await generate(policy, requests, generationSettings({ maxCompletionTokens: 6, fromCopy }));
      await policy.close();
      return completions;
    };
    const trained = { adapter: { rank: 6, scale: 1.5, targets: ADAPTER_TARGETS } };
    const copied = openPolicy(backend, WITH_EVERYTHING, { rolloutCopy: 'q8_0' }, 1, trained);
    // The copy has no down projection, whose rows are not blocks, and tokens are looked up in the table as it is.
    const stored = openPolicy(backend, { ...WITH_EVERYTHING, tieWordEmbeddings: false }, {}, 1, {
      ...trained,
      storageOf: (name) => (/norm|bias|down_proj|embed/.test(name) ? 'f32' : 'q8_0'),
    });
    const [from, to] = [await copied, await stored];
    for (const parameter of [...to.parameters, ...to.adapterParameters]) {
      const name = parameter.name.replace('lm_head', 'model.embed_tokens');
      const own = [...from.parameters, ...from.adapterParameters].find((other) => other.name === name);
      to.writeParameter(parameter, await from.readParameter(own as typeof parameter));
    }
    expect(await sampledBy(from, true)).toEqual(await sampledBy(to));
  },
);

it.each(fewOf(REQUIRED_ADAPTERS, { quick: 1, all: 1 }))(
  'a base in fewer bits gives the very gradients of its values in float32, on %s',
  async (label) => {
    const backend = await loadBackend(`webgpu:${label}`);
    for (const storage of fewOf(['q4_0', 'bf16', 'q8_0'] as const, { quick: 1, all: 2 })) {
      const useDora = storage === 'q4_0'; // norms of its values, too
      const [stored, plain] = [await open(backend, storage, useDora), await open(backend, 'f32', useDora)];
      for (const [i, parameter] of stored.parameters.entries()) {
        plain.writeParameter(plain.parameters[i], await stored.readParameter(parameter));
      }
      expect(await gradientsOf(stored), storage).toEqual(await gradientsOf(plain));
      for (const { sampled, scored } of await sampledAndScored(stored, GROUPS, 8)) expect(scored).toEqual(sampled);
      await stored.close();
      await plain.close();
    }
  },
);
