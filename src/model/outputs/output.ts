/** What an output of the forward pass declares. */
import type { Kernels } from '../../kernels/kernels.ts';
import type { Rows, Slot } from '../../kernels/memory.ts';
import type { ArenaOf } from '../memory/capacity.ts';
import type { OutputBackwardSlots, OutputSlots } from '../memory/output_slots.ts';
import type { PolicySlots } from '../memory/slots.ts';
import type { GradientSlots, ParameterSet } from '../parameters.ts';
import type { ModelShape } from '../shape.ts';

/** The loss rows of a batch, and the slots that its programs share. */
export interface OutputPlace {
  readonly slots: PolicySlots;
  readonly rows: Rows;
}

/**
 * Numbers that are computed from the last hidden row of each token that carries a loss, and through which gradients come
 * back. Planned only where the capacity has room for it; log-probs and entropies are always there, and are not declared.
 */
export interface Output {
  /** Numbers a loss row. */
  width(shape: ModelShape): number;
  /** @param room  loss rows that it is held of at once */
  plan(shape: ModelShape, room: number, weights: ParameterSet, isTrained: boolean, arena: ArenaOf): OutputSlots;
  /** From `slots.hidden`, as the scoring of `weights` has left it, to `values`. */
  forward(kernels: Kernels, place: OutputPlace, weights: ParameterSet, values: Slot): void;
  /** From the derivatives in `values` to its own slots, and on to `dHidden` of the backward pass. */
  backward(kernels: Kernels, place: OutputPlace, values: Slot, own: OutputBackwardSlots): void;
  /** The gradient that `dWeight` is a share of. */
  gradientOf(gradients: GradientSlots): Slot | undefined;
  /** What callers get of `values`. */
  given(values: ArrayLike<number>, width: number, temperature: number): Float32Array;
  /** Derivatives by what callers got, as derivatives by `values`. */
  taken(derivatives: Float32Array, temperature: number): Float32Array;
}
