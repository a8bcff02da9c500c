/** Rollouts and steps on WebGPU with and without what an adapter offers beyond the defaults: subgroups, float16 storage. */
import { webgpuBackend } from '../build/packages/rlvr-train/index.js';
import { openSide } from './policy_side.mjs';
import { compare, takeTurns } from './turns.mjs';

/** What the others are divided by. */
const BASE = 'by default';

/**
 * The options in turn.
 *
 * @param features     of the adapter
 * @param limitSeconds of all turns of an option
 * @returns `rollout` and `step`, each name of an option → figures; undefined where the adapter offers nothing
 */
export async function measureFeatures(gpu, features, size, { repeats, limitSeconds }) {
  const options = {
    [BASE]: {},
    ...(features.has('subgroups') && { 'without subgroups': { subgroups: false } }),
    ...(features.has('shader-f16') && { 'float16 storage': { storageDtype: 'float16' } }),
  };
  if (Object.keys(options).length === 1) return undefined;
  const sides = {};
  for (const [name, settings] of Object.entries(options)) {
    sides[name] = await openSide(await webgpuBackend(gpu, settings), size);
  }
  try {
    const steps = Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, side.step]));
    const taken = await takeTurns(steps, { warmup: 2, repeats, limitSeconds });
    return {
      rollout: compare(taken, ({ split }) => split.rollout, BASE),
      step: compare(taken, ({ seconds }) => seconds, BASE),
    };
  } finally {
    for (const side of Object.values(sides)) await side.close();
  }
}
