/** Reductions by exchanges between lanes: used where lanes are neighbours, and never a different bit. */
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import { generate } from '../../../../src/model/sampling/generation.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { bitsOf, generationSettings, openPolicy, randomGroups, sha256Of } from '../../../../test/support/policies.ts';
import { tenSteps, WITH_EVERYTHING, withPolicy } from '../../../../test/support/ten_steps.ts';
import type { AdapterSource } from '../../adapter.ts';
import { webgpuBackend } from '../../backend.ts';
import type { WebgpuOptions } from '../../options.ts';
import { openAdapter, tapped } from '../support/adapters.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

async function usedSubgroups(gpu: AdapterSource, options: WebgpuOptions = {}) {
  const policy = await openPolicy(await webgpuBackend(gpu, options), { numLayers: 1 });
  const { subgroups } = policy.engine.features;
  await policy.close();
  return subgroups;
}

/** An adapter whose devices run the modules that contain `text` with `replacement` in its place. */
function changed(source: AdapterSource, text: string, replacement: string) {
  let changes = 0;
  const tap = (device: GPUDevice): void => {
    const createShaderModule = device.createShaderModule.bind(device);
    device.createShaderModule = ({ code, ...others }) => {
      if (code.includes(text)) changes++;
      return createShaderModule({ ...others, code: code.replace(text, replacement) });
    };
  };
  return { source: tapped(source, tap), changes: () => changes };
}

/** Samples through every filter, and scores what it sampled. */
async function sampledAndScored(backend: Backend) {
  const policy = await openPolicy(backend, WITH_EVERYTHING);
  try {
    const asked = randomGroups([2, 3], { seed: 5 }).map(({ prompt }, group) => ({
      prompt,
      rolloutNumbers: [2 * group, 2 * group + 1],
    }));
    const sampling = { temperature: 0.8, topK: 20, topP: 0.95, minP: 0.01 };
    const sampled = await generate(policy, asked, generationSettings({ sampling, maxCompletionTokens: 8 }));
    const groups = asked.map(({ prompt }, i) => ({ prompt, completions: sampled[i].map(({ tokens }) => tokens) }));
    const { logprobs, entropies } = await policy.score(packBatch(groups), 0.8);
    return { sampled, logprobs: bitsOf(logprobs), entropies: bitsOf(entropies) };
  } finally {
    await policy.close();
  }
}

/** Whose bits with and without them are compared: both before a release. SwiftShader has them in conformance, and in Chromium. */
const COMPARED = fewOf(REQUIRED_ADAPTERS, { quick: 1, all: 1 });

describe.each(REQUIRED_ADAPTERS)('subgroups on %s', (label) => {
  it('are used where the adapter has them, and the fingerprint says so', async () => {
    const gpu = await openAdapter(label);
    const lanes = ((await gpu.requestAdapter()) as GPUAdapter | null)?.info.subgroupMinSize ?? 0;
    expect(lanes).toBeGreaterThanOrEqual(4);
    expect(await usedSubgroups(gpu)).toBe(`${lanes} lanes`);
    expect(await usedSubgroups(gpu, { subgroups: false })).toBe('none');
  });

  it('are left alone on a device whose neighbouring invocations are not lanes of one subgroup', async () => {
    const { source, changes } = changed(await openAdapter(label), '(t ^ 1u)', '(t ^ 2u)');
    expect(await usedSubgroups(source)).toBe('none');
    expect(changes()).toBe(2); // workgroups of 64 and of 256
  });
});

describe.each(COMPARED)('subgroups on %s', (label) => {
  it('sample and score with the bits of the kernels without them', async () => {
    const gpu = await openAdapter(label);
    const [used, unused] = [await webgpuBackend(gpu), await webgpuBackend(gpu, { subgroups: false })];
    expect(await sampledAndScored(used)).toEqual(await sampledAndScored(unused));
  });

  it('train to the weights of the kernels without them, bit for bit', async () => {
    const gpu = await openAdapter(label);
    const [used, unused] = [await webgpuBackend(gpu), await webgpuBackend(gpu, { subgroups: false })];
    const withThem = await withPolicy(used, {}, tenSteps);
    const without = await withPolicy(unused, {}, tenSteps);
    expect(sha256Of(withThem.weights)).toBe(sha256Of(without.weights));
    expect(withThem.losses).toEqual(without.losses);
  });
});
