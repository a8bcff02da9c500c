/**
 * What a run takes of the machine's memory, beyond Node itself: the engine's buffers, its threads, the JavaScript
 * around them, and the copies of a checkpoint.
 *
 * The engine's share is exact, as reserved; the others were measured (`npm run bench -- memory`, Node 20, x86-64
 * Linux) and hold within a tenth of the whole there, and on Node 26; Node 24 lets its young generation grow by 65 MB
 * more. Node itself, with this package loaded, takes about 75 MB.
 */
import type { Backend } from '../kernels/engine.ts';
import { slotLength } from '../kernels/memory.ts';
import type { PolicyPlan } from '../model/memory/plan.ts';

/** A worker thread of Node that does nothing but WebAssembly. */
const THREAD_BYTES = 6.5e6;
/** V8's young generation at its full size, rollouts and evaluations that live in the old one, and compiled code. */
const JAVASCRIPT_BYTES = 85e6;
/** Of a vector in a checkpoint: as read from the engine, as encoded, and that of the checkpoint before, hashed again. */
const CHECKPOINT_COPIES = 3;

/** Bytes by purpose; their sum is the plan that a user sees. @param threads  compute threads; 0 without workers */
export function plannedMemory(backend: Backend, plan: PolicyPlan, threads: number): ReadonlyMap<string, number> {
  const { trainable, frozenCount, adapterParameters } = plan.slots.weights;
  // All weights, and two moments of those that are trained; beside an adapter the base is in its own files.
  const beside = adapterParameters.length > 0 ? 0 : frozenCount;
  const saved = plan.capacity.training ? 3 * slotLength(trainable) + beside : 0;
  return new Map([
    ...backend.plannedBytes(plan.memory),
    ['checkpoints', CHECKPOINT_COPIES * 4 * saved],
    ['threads', threads * THREAD_BYTES],
    ['JavaScript', JAVASCRIPT_BYTES],
  ]);
}
