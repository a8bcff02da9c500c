/** Flat vectors of the trained part by name: weights, optimizer state, and further parameter sets. */
import type { Slot } from '../kernels/memory.ts';
import type { PolicySlots } from './memory/slots.ts';
import type { MovePrograms } from './programs.ts';

/** Vectors in the layout of `plan.slots.weights.trainable`. */
export type TrainedVector = 'weights' | 'gradients' | 'firstMoment' | 'secondMoment' | SetName;

/** The name of a parameter set that the policy was opened with. */
export type SetName = string & Record<never, never>;

/** @throws Error where the policy was opened without it */
export function vectorSlot(slots: PolicySlots, which: TrainedVector): Slot {
  const { weights, gradients, firstMoment, secondMoment, sets } = slots;
  const vectors = new Map([
    ['weights', weights.trainable],
    ['gradients', gradients?.all],
    ['firstMoment', firstMoment],
    ['secondMoment', secondMoment],
  ]);
  const slot = vectors.get(which) ?? sets.get(which)?.trainable;
  if (slot === undefined) throw new Error(`this policy holds no ${which}`);
  return slot;
}

/** @throws Error where the policy was opened without one of them */
export function findMove(moves: readonly MovePrograms[], to: SetName, from: SetName | 'policy'): MovePrograms {
  const programs = moves.find((move) => move.to === to && move.from === from);
  if (programs !== undefined) return programs;
  throw new Error(`this policy was opened without a ${moves.some((move) => move.to === to) ? from : to}`);
}
