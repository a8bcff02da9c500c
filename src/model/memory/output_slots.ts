/** Memory of an output of the forward pass that only some methods ask for. */
import type { Slot } from '../../kernels/memory.ts';

export interface OutputSlots {
  /** [loss rows it has room for, its width] of the forward pass; then, from the host, the derivatives by them. */
  readonly values: Slot;
  /** Where the policy trains. */
  readonly backward: OutputBackwardSlots | undefined;
}

export interface OutputBackwardSlots {
  /** [the same rows, D] the output's share in `dHidden`. */
  readonly dHidden: Slot;
  /**
   * Its share in the gradient of its matrix, kept apart so that the order of sums does not depend on micro-batches;
   * undefined if the matrix is frozen.
   */
  readonly dWeight: Slot | undefined;
}
