/** Scratch memory of adapters, shared by all layers. */
import type { Slot } from '../../kernels/memory.ts';
import { widestAdapter, widestScaled } from '../adapter.ts';
import type { ParameterSet } from '../parameters.ts';
import type { ArenaOf, Capacity } from './capacity.ts';

/** x·Aᵀ of an adapter while it is used, and its gradient: [rows, most modules·r] each. */
export interface AdapterScratch {
  readonly inner: Slot;
  /** Absent in a policy that only samples. */
  readonly dInner?: Slot | undefined;
  /** Where adapters have magnitudes. */
  readonly magnitudes?: MagnitudeScratch | undefined;
}

export interface MagnitudeScratch {
  /** [most modules·r, widest output] A·Wᵀ of a matrix. */
  readonly products: Slot;
  /** [most modules·r, most modules·r] A·Aᵀ. */
  readonly gram: Slot;
  /** [rows, widest output] What the backward pass scales; absent in a policy that only samples. */
  readonly dScaled?: Slot | undefined;
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
    ...magnitudeScratch(width, training ? rows : 0, layers, arena),
  };
}

function magnitudeScratch(
  width: number,
  backwardRows: number,
  layers: ParameterSet['layers'],
  arena: ArenaOf,
): Pick<AdapterScratch, 'magnitudes'> {
  const widest = widestScaled(layers);
  if (widest === 0) return {};
  const place = arena('magnitudes', 'activations');
  return {
    magnitudes: {
      products: place.slot([width, widest]),
      gram: place.slot([width, width]),
      dScaled: backwardRows > 0 ? arena('magnitudesBackward', 'activations').slot([backwardRows, widest]) : undefined,
    },
  };
}
