/** Room for what an adapter computes on the way, which all layers share. */
import type { Slot } from '../../kernels/memory.ts';
import { widestAdapter } from '../adapter.ts';
import type { ParameterSet } from '../parameters.ts';
import type { ArenaOf, Capacity } from './capacity.ts';

/** Where x·Aᵀ of an adapter is kept while it is used, and its gradient: [rows, most modules·r] each. */
export interface AdapterScratch {
  readonly inner: Slot;
  /** Absent in a policy that only samples. */
  readonly dInner?: Slot | undefined;
}

/** Rows as many as any forward pass has. */
export function adapterScratch(
  { rows, keptRows, training }: Capacity,
  { layers }: ParameterSet,
  arena: ArenaOf,
): AdapterScratch | undefined {
  const width = widestAdapter(layers);
  if (width === 0) return undefined;
  const [forward, backward] = [arena('adapterForward', 'activations'), arena('adapterBackward', 'activations')];
  return {
    inner: forward.slot([Math.max(rows, keptRows), width]),
    dInner: training ? backward.slot([rows, width]) : undefined,
  };
}
