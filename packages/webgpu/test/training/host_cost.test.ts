/**
 * What a step asks of the host, counted at WebGPU's own interface. Dawn's null backend takes every call and computes
 * nothing, so that a count needs no adapter; `npm run bench -- webgpu` times the same calls.
 */
import { expect, it } from 'vitest';
import { countedGpu } from '../../../../bench/gpu_calls.mjs';
import type { TokenGroup } from '../../../../src/model/batch.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import { generateKept } from '../../../../src/model/sampling/generation.ts';
import { generationSettings, NO_UPDATE, openPolicy, randomGroups } from '../../../../test/support/policies.ts';
import { webgpuBackend } from '../../backend.ts';
import { nullAdapter } from '../support/adapters.ts';

const TOKENS = 8;
const PROMPTS = randomGroups([3, 3], { seed: 5 }).map(({ prompt }, group) => ({
  prompt,
  rolloutNumbers: [0, 1, 2].map((i) => 3 * group + i),
}));

async function openCounted(numLayers: number) {
  const { source, take } = countedGpu(await nullAdapter());
  const policy = await openPolicy(await webgpuBackend(source), { numLayers }, { keptRows: 64 });
  return { policy, take };
}

/**
 * Rolls out, keeping the activations. Nothing is computed: what is read back is whatever the memory held, so every token is
 * taken as 0.
 */
async function rollOut(policy: Policy): Promise<TokenGroup[]> {
  const { completions, places } = await generateKept(
    policy,
    PROMPTS,
    generationSettings({ fixedCompletionTokens: TOKENS, maxCompletionTokens: TOKENS }),
  );
  const groups = PROMPTS.map(({ prompt }, i) => ({
    prompt,
    completions: completions[i].map(({ tokens }) => tokens.map(() => 0)),
  }));
  await policy.keep(groups, places ?? []);
  return groups;
}

async function update(policy: Policy, groups: readonly TokenGroup[]): Promise<void> {
  const batch = packBatch(groups);
  const ofRows = new Float32Array(batch.lossRowCount);
  const rows = { coefficients: ofRows, entropyCoefficients: ofRows, advantages: ofRows };
  const settings = { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.2, clipDelta: null, klCoef: 0 };
  await policy.accumulate(batch, 1, { oldLogprobs: 'current', refLogprobs: undefined, ...rows }, settings);
  await policy.optimize(NO_UPDATE);
}

async function withCounted<Result>(
  numLayers: number,
  use: (opened: Awaited<ReturnType<typeof openCounted>>) => Promise<Result>,
): Promise<Result> {
  const opened = await openCounted(numLayers);
  try {
    return await use(opened);
  } finally {
    await opened.policy.close();
  }
}

/** Dispatches of a decoded token, and of a training step whose forward pass is not kept. */
const dispatchesOf = (numLayers: number) =>
  withCounted(numLayers, async ({ policy, take }) => {
    take();
    const groups = await rollOut(policy);
    const rollout = take();
    policy.forgetKept();
    await update(policy, groups);
    return { rollout: rollout.dispatches, training: take().dispatches };
  });

it('takes 9 dispatches per layer for a decoded token, and at most 40 for a training step', async () => {
  const [two, six] = [await dispatchesOf(2), await dispatchesOf(6)];
  const keptCopies = 12; // a layer, once a rollout
  expect((six.rollout - two.rollout) / 4 - keptCopies).toBe(9 * TOKENS);
  expect((six.training - two.training) / 4).toBeLessThanOrEqual(40);
});

it('reads back once in four decoded tokens, and once an update besides its gradient norm', async () => {
  await withCounted(2, async ({ policy, take }) => {
    take();
    const groups = await rollOut(policy);
    expect(take().mappings).toBe(TOKENS / 4);
    await update(policy, groups);
    expect(take().mappings).toBe(2);
  });
});

it('binds parts of arenas that are larger than a binding, in every program', async () => {
  const backend = await webgpuBackend(await nullAdapter(), { bindingBytes: 2 ** 17 });
  const policy = await openPolicy(backend, {}, { rows: 200, lossRows: 100, kvRows: 400, keptRows: 64 });
  await update(policy, await rollOut(policy)); // an invalid use of a buffer would reject
  await policy.close();
});

it('creates nothing in 200 steps once it is warm', async () => {
  await withCounted(1, async ({ policy, take }) => {
    for (let step = 0; step < 2; step++) await update(policy, await rollOut(policy));
    take();
    for (let step = 0; step < 200; step++) await update(policy, await rollOut(policy));
    expect(take()).toMatchObject({ buffers: 0, bindGroups: 0, pipelines: 0 });
  });
}, 300_000);
