/** Operands of the kernels by which a matrix has its direction and its magnitudes apart (DoRA, arXiv:2402.09353). */
import type { Rows, Slot } from './memory.ts';

export interface ScaleColumnsArgs {
  /** [N, out] */ readonly x: Slot;
  /** [out] */ readonly scale: Slot;
  /** [out] */ readonly bias?: Slot | undefined;
  /** [N, out] */ readonly residual?: Slot | undefined;
  /** [N, out], =; may be the slot of `x` */ readonly out: Slot;
  readonly rows: Rows;
}

/** W is a fused matrix, and this is about the `out` of its outputs from `firstColumn` on. */
export interface MagnitudeScaleArgs {
  /** [out] */ readonly magnitude: Slot;
  /** [out] ‖W‖ of each row */ readonly baseNorms: Slot;
  /** [out, r] */ readonly loraB: Slot;
  /** [inner, outputs of W] A·Wᵀ, for the A of every module of W */ readonly products: Slot;
  /** [inner, inner] A·Aᵀ of the same */ readonly gram: Slot;
  /** First of this module's r rows among the `inner`. */
  readonly firstInput: number;
  readonly firstColumn: number;
  /** s: what B·A is multiplied by. */
  readonly factor: number;
  /** [out], = */ readonly scale: Slot;
}

export interface MagnitudeGradientArgs {
  /** [N, outputs of W] */ readonly dOut: Slot;
  /** [N, outputs of W] of the forward pass, `bias` and `residual` included */ readonly out: Slot;
  /** [outputs of W] */ readonly bias?: Slot | undefined;
  /** [N, outputs of W] */ readonly residual?: Slot | undefined;
  /** [out] */ readonly magnitude: Slot;
  /** First of these outputs in a row. */
  readonly firstColumn: number;
  /** [out], += */ readonly dMagnitude: Slot;
  readonly rows: Rows;
}
