/**
 * What a step costs the host, whatever the GPU: dispatches a decoded token and a training step, and the time to
 * replay one of them. Dawn's null backend takes every call, validates it, and computes nothing.
 */
import { webgpuBackend } from '../build/packages/rlvr-train/index.js';
import { countedGpu } from './gpu_calls.mjs';
import { openSide } from './policy_side.mjs';
import { summarize } from './statistics.mjs';

/** Replays of one timing: garbage collection and the clock count little. */
const REPLAYS = 20;

/** Some id: the null backend samples nothing, and gives back what its memory held. */
const tokensOf = (ids) => ids.map(() => 2);

/** @param gpu Dawn's null backend */
export async function measureHost(gpu, size, repeats) {
  const { numLayers } = size.shape;
  const calls = await callsOf(gpu, size, numLayers);
  const half = await callsOf(gpu, size, numLayers / 2);
  const aLayer = (what) => (calls[what].dispatches - half[what].dispatches) / (numLayers / 2);
  return {
    layers: numLayers,
    perToken: { ...calls.token, dispatchesPerLayer: aLayer('token') },
    perUpdate: { ...calls.update, dispatchesPerLayer: aLayer('update') },
    microseconds: await replayTime(gpu, size, calls.token.dispatches, repeats),
  };
}

/** Calls of a decoded token, and of an update by rollouts whose activations are kept, once all is warm. */
async function callsOf(gpu, size, numLayers) {
  const { source, take } = countedGpu(gpu);
  const side = await openSide(
    await webgpuBackend(source),
    { ...size, shape: { ...size.shape, numLayers } },
    { tokensOf },
  );
  await side.step(); // computes the first batch again
  take();
  await side.rollout();
  const rollout = take();
  side.policy.forgetKept();
  await side.step();
  const step = take();
  await side.close();
  return { token: scaled(rollout, 1 / size.completionTokens), update: minus(step, rollout) };
}

/** The step that was run last, once more. */
const SAME_AGAIN = { isKept: false, isFed: false, moved: [] };

/** Microseconds per dispatch of a decoding step: refreshing counts, encoding and submitting. */
async function replayTime(gpu, size, dispatches, repeats) {
  const side = await openSide(await webgpuBackend(gpu), size);
  await side.rollout(); // leaves the input slots of its last token
  const steps = side.policy.stepsOf({});
  const values = [];
  for (let i = 0; i < repeats; i++) {
    const start = performance.now();
    for (let j = 0; j < REPLAYS; j++) await side.policy.engine.replay(...(await steps.next(SAME_AGAIN)));
    values.push((1000 * (performance.now() - start)) / REPLAYS / dispatches);
  }
  await side.close();
  return summarize(values);
}

const scaled = (calls, factor) => Object.fromEntries(Object.entries(calls).map(([name, n]) => [name, n * factor]));
const minus = (a, b) => Object.fromEntries(Object.entries(a).map(([name, n]) => [name, n - b[name]]));
