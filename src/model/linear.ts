/**
 * The one door to the matrices: every product of the schedule, forward and backward, goes through here with a description
 * of its matrix. What changes how a matrix acts (an adapter beside it) enters in this file alone.
 */
import type { Kernels } from '../kernels/kernels.ts';
import type { Rows, Slot } from '../kernels/memory.ts';
import type { LayerGradients, LayerSlots, ParameterSet } from './parameters.ts';

/** The matrices of a layer. q, k and v are one, and so are gate and up. */
export type MatrixName = 'qkv' | 'attentionOutput' | 'gateUp' | 'down';

/** A matrix [out, in] and what its products read and add to. */
export interface LinearMatrix {
  readonly weight: Slot;
  /** [out] */
  readonly bias: Slot | undefined;
  /** Of the shapes of `weight` and `bias`, +=; undefined where they are frozen, or in a forward pass. */
  readonly gradient: Slot | undefined;
  readonly biasGradient: Slot | undefined;
}

export interface ForwardLinearArgs {
  /** [N, in] */
  readonly x: Slot;
  /** [N, out] */
  readonly residual?: Slot;
  /** [N, out], = */
  readonly out: Slot;
  readonly rows: Rows;
}

export interface BackwardLinearArgs {
  /** [N, out] */
  readonly dOut: Slot;
  /** [N, in], of the forward pass */
  readonly x: Slot;
  /** [N, in], = */
  readonly dX: Slot;
  readonly rows: Rows;
}

/** @param gradients for a backward pass */
export function matrixOf(name: MatrixName, weights: LayerSlots, gradients?: LayerGradients): LinearMatrix {
  const hasBias = name === 'qkv';
  return {
    weight: weights[name],
    bias: hasBias ? weights.qkvBias : undefined,
    gradient: gradients?.[name],
    biasGradient: hasBias ? gradients?.qkvBias : undefined,
  };
}

/** The head, for whole rows of logits. @param gradient for a backward pass; undefined where it is frozen */
export function headOf({ head }: Pick<ParameterSet, 'head'>, gradient?: Slot): LinearMatrix {
  return { weight: head, bias: undefined, gradient, biasGradient: undefined };
}

/** out = x·weightᵀ (+ bias) (+ residual) */
export function forwardLinear(
  kernels: Kernels,
  matrix: LinearMatrix,
  { x, residual, out, rows }: ForwardLinearArgs,
): void {
  const { weight, bias } = matrix;
  kernels.linear({ x, weight, bias, residual, out, rows });
}

/** gradient += dOutᵀ·x and biasGradient += Σ dOut where the matrix is trained, then dX = dOut·weight. */
export function backwardLinear(
  kernels: Kernels,
  matrix: LinearMatrix,
  { dOut, x, dX, rows }: BackwardLinearArgs,
): void {
  const { weight, gradient, biasGradient } = matrix;
  if (gradient !== undefined) {
    kernels.linearWeightGradient({ dOut, x, dWeight: gradient, dBias: biasGradient, rows });
  }
  kernels.linearInputGradient({ dOut, weight, dX, rows });
}
