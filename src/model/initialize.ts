/** Initial weights of a run from scratch. */

import { slotLength } from '../kernels/memory.ts';
import { rngFor } from '../kernels/philox.ts';
import type { Parameter } from './parameters.ts';
import type { Policy } from './policy.ts';
import type { ModelShape } from './shape.ts';

/**
 * Fills tensors of a policy with initial weights, each by `initialTensor`.
 *
 * @param seed   any integer; the same seed gives the same weights, whatever the backend
 * @param range  standard deviation of the matrices, above 0; default 0.05, which suits models of less than a million weights
 * @param which  default: every tensor of the model, and of its adapter where it has one
 */
export function writeInitialWeights(
  policy: Policy,
  seed: number,
  range = 0.05,
  which: readonly Parameter[] = [...policy.parameters, ...policy.adapterParameters],
): void {
  for (const parameter of which) policy.writeParameter(parameter, initialTensor(policy.shape, parameter, seed, range));
}

/**
 * One tensor, flat: matrices N(0, range), projections into the residual stream N(0, range/√(2·layers)), norms 1,
 * biases 0; of adapters A uniform in ±1/√in, as PEFT draws it (Kaiming with a = √5), and B 0. A pure function of (seed, tensor name, shape).
 *
 * @param range standard deviation (`initializer_range`); 0.05 learns faster than 0.02 at these sizes
 */
export function initialTensor(
  shape: ModelShape,
  { name, slot, initial }: Parameter,
  seed: number,
  range: number,
): Float32Array {
  const values = new Float32Array(slotLength(slot));
  if (initial === 'one') values.fill(1);
  else if (initial === 'uniform') fillUniform(values, `initialize|${seed}|${name}`, 1 / Math.sqrt(slot.shape[1] ?? 1));
  else if (initial !== 'zero') {
    const deviation = initial === 'residual' ? range / Math.sqrt(2 * shape.numLayers) : range;
    fillNormal(values, `initialize|${seed}|${name}`, deviation);
  }
  return values;
}

function fillUniform(values: Float32Array, key: string, bound: number): void {
  const rng = rngFor(key);
  for (let i = 0; i < values.length; i++) values[i] = bound * (2 * rng.float() - 1);
}

/** Box–Muller: two normals from two uniforms. */
function fillNormal(values: Float32Array, key: string, deviation: number): void {
  const rng = rngFor(key);
  for (let i = 0; i < values.length; i += 2) {
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - rng.float()));
    const angle = 2 * Math.PI * rng.float();
    values[i] = radius * Math.cos(angle);
    if (i + 1 < values.length) values[i + 1] = radius * Math.sin(angle);
  }
}
