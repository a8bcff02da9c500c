/**
 * The tfjs backend: every kernel as TensorFlow.js ops, on whatever tfjs backend is registered — cpu, wasm, webgpu,
 * tensorflow. Backward kernels are tf.grads of the forward formulas: a second opinion on gradients written by hand.
 *
 * @tensorflow/tfjs and its backends are optional packages: only this folder and `tfjs/` import them. Not tfjs-core,
 * which in Node has no gradients by itself.
 */
import * as tf from '@tensorflow/tfjs';
import { BackendError } from '../../../src/errors.ts';
import type { Backend } from '../../../src/kernels/engine.ts';
import type { MemoryPlan } from '../../../src/kernels/memory.ts';
import { TfjsEngine } from './engine.ts';

/**
 * A kernel set on a tfjs backend that is registered already, as importing its package does.
 * @param name of the tfjs backend: 'cpu', 'wasm', 'webgpu', 'tensorflow'
 * @throws BackendError where tfjs has no such backend, or it does not start
 */
export async function tfjsBackend(name: string): Promise<Backend> {
  if (tf.findBackendFactory(name) === null) {
    throw new BackendError('no-tfjs-backend', `tfjs:${name}: tfjs has no backend '${name}'; import its package first.`);
  }
  if (!(await tf.setBackend(name))) {
    throw new BackendError('no-tfjs-backend', `tfjs:${name}: tfjs could not start its backend '${name}'.`);
  }
  return {
    name: `tfjs:${name}`,
    plannedBytes,
    open: async (plan) => {
      const bytes = [...plannedBytes(plan).values()].reduce((sum, part) => sum + part, 0);
      return new TfjsEngine(name, plan, bytes);
    },
  };
}

/** What the slots hold; intermediate results of the ops come on top and are tfjs's business. */
function plannedBytes(plan: MemoryPlan): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  for (const { purpose, length } of plan.arenas) bytes.set(purpose, (bytes.get(purpose) ?? 0) + 4 * length);
  return bytes;
}
