/**
 * What a step costs the host, whatever the GPU: dispatches a decoded token and a training step, and the time to
 * replay one of them. Dawn's null backend takes every call, validates it, and computes nothing.
 */
import { webgpuBackend } from '../dist/index.js';
import { countedGpu } from './gpu_calls.mjs';
import { openSide } from './policy_side.mjs';
import { summarize } from './statistics.mjs';

/** Replays of one timing: garbage collection and the clock count little. */
const REPLAYS = 20;

/** @param gpu Dawn's null backend */
export async function measureHost(gpu, size, repeats) {
  const { source, take } = countedGpu(gpu);
  const counted = await openSide(await webgpuBackend(source), size);
  take();
  await counted.rollout();
  const rollout = take();
  counted.policy.forgetKept();
  await counted.step(); // the first rollout's activations are computed again: a whole training step
  const step = take();
  await counted.close();

  const { numLayers } = size.shape;
  const tokens = size.completionTokens;
  const aToken = rollout.dispatches / tokens;
  const update = step.dispatches - rollout.dispatches;
  const microseconds = await replayTime(gpu, size, aToken, repeats);
  return {
    perToken: { ...scaled(rollout, 1 / tokens), layers: numLayers },
    perUpdate: { ...minus(step, rollout), layers: numLayers },
    dispatchesPerLayer: { token: aToken / numLayers, trainingStep: update / numLayers },
    microseconds,
  };
}

/** Microseconds a dispatch of a decoding step: refreshing counts, encoding and submitting. */
async function replayTime(gpu, size, dispatches, repeats) {
  const side = await openSide(await webgpuBackend(gpu), size);
  await side.rollout(); // leaves the input slots of its last token
  const values = [];
  for (let i = 0; i < repeats; i++) {
    const start = performance.now();
    for (let j = 0; j < REPLAYS; j++) await side.policy.replaySample({ keep: false, feed: false });
    values.push((1000 * (performance.now() - start)) / REPLAYS / dispatches);
  }
  await side.close();
  return summarize(values);
}

const scaled = (calls, factor) => Object.fromEntries(Object.entries(calls).map(([name, n]) => [name, n * factor]));
const minus = (a, b) => Object.fromEntries(Object.entries(a).map(([name, n]) => [name, n - b[name]]));
