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
/** Copies of a vector in a checkpoint: as read from the engine, as encoded, and the previous checkpoint's, hashed again. */
const CHECKPOINT_COPIES = 3;

/**
 * Bytes by purpose; their sum is the plan that a user sees.
 *
 * @param plans    those of all models of the run, which share a backend
 * @param threads  compute threads of all of them; 0 without workers
 */
export function plannedMemory(
  backend: Backend,
  plans: readonly PolicyPlan[],
  threads: number,
): ReadonlyMap<string, number> {
  const planned = new Map<string, number>();
  for (const [purpose, bytes] of plans.flatMap(({ memory }) => [...backend.plannedBytes(memory)])) {
    planned.set(purpose, (planned.get(purpose) ?? 0) + bytes);
  }
  const saved = plans.reduce((sum, plan) => sum + savedNumbers(plan), 0);
  return planned
    .set('checkpoints', CHECKPOINT_COPIES * 4 * saved)
    .set('threads', threads * THREAD_BYTES)
    .set('JavaScript', JAVASCRIPT_BYTES);
}

/** All weights, and two moments of those that are trained; beside an adapter the base is in its own files. */
function savedNumbers({ capacity, slots }: PolicyPlan): number {
  if (!capacity.training) return 0;
  const { trainable, frozenCount, adapterParameters } = slots.weights;
  return 3 * slotLength(trainable) + (adapterParameters.length > 0 ? 0 : frozenCount);
}
