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
 * Numbers computed from the last hidden row of each token with a loss, which pass gradients back. Planned only if the
 * capacity has room. Log-probs and entropies always exist, and are not declared.
 */
export interface Output {
  /** Numbers a loss row. */
  width(shape: ModelShape): number;
  /** @param room  loss rows that are held at once */
  plan(shape: ModelShape, room: number, weights: ParameterSet, isTrained: boolean, arena: ArenaOf): OutputSlots;
  /** Computes `values` from `slots.hidden`, which the scoring of `weights` has left. */
  forward(kernels: Kernels, place: OutputPlace, weights: ParameterSet, values: Slot): void;
  /** From the derivatives in `values` to `own`, and to `dHidden` of the backward pass. */
  backward(kernels: Kernels, place: OutputPlace, values: Slot, own: OutputBackwardSlots): void;
  /** The gradient that `dWeight` is a share of. */
  gradientOf(gradients: GradientSlots): Slot | undefined;
  /** Turns `values` into what callers get. */
  given(values: ArrayLike<number>, width: number, temperature: number): Float32Array;
  /** Turns derivatives by the callers' values into derivatives by `values`. */
  taken(derivatives: Float32Array, temperature: number): Float32Array;
}
