/**
 * Every matrix product of the schedule, forward and backward, goes through here with a description of its matrix. Only
 * this file knows what changes how a matrix acts, such as an adapter.
 *
 *   out = x·Wᵀ (+ bias) (+ residual), then out[columns of m] += u[m]·B_mᵀ for each module m, u = s·x·Aᵀ
 *   dB_m += dOut[columns of m]ᵀ·u[m];  du[m] = s·dOut[columns of m]·B_m;  dA += duᵀ·x;  dX = dOut·W + du·A
 *
 * The backward pass recomputes u, at r/out of the cost of the main product; keeping it would take a row per layer.
 *
 * With magnitudes z = x·Wᵀ + u·Bᵀ is scaled column by column, out = g ⊙ z (+ bias) (+ residual), g = magnitude / norm,
 * and above dOut is g ⊙ dOut; dMagnitude += Σ dOut ⊙ z / norm. The norm is a constant, as in PEFT. z is not kept, but
 * recovered from the output, less bias and residual, divided by g. A residual of size R then leaves an error of 2⁻²⁴·R
 * in z.
 */
import type { Kernels } from '../kernels/kernels.ts';
import type { Rows, Slot } from '../kernels/memory.ts';
import type { MatrixAdapter, MatrixName, PartMagnitudes } from './adapter.ts';
import type { AdapterScratch, MagnitudeScratch } from './memory/adapter_scratch.ts';
import type { LayerGradients, LayerSlots, ParameterSet } from './parameters.ts';

/** A matrix [out, in] and what its products read and add to. */
export interface LinearMatrix {
  readonly weight: Slot;
  /** [out] */
  readonly bias: Slot | undefined;
  /** Shaped as `weight` and `bias`, +=; undefined where they are frozen, or in a forward pass. */
  readonly gradient: Slot | undefined;
  readonly biasGradient: Slot | undefined;
  readonly adapter?: MatrixAdapter | undefined;
  /** Shaped as `adapter`, +=; undefined in a forward pass. */
  readonly adapterGradient?: MatrixAdapter | undefined;
}

export interface ForwardLinearArgs {
  /** [N, in] */
  readonly x: Slot;
  /** [N, out] */
  readonly residual?: Slot;
  /** [N, out], = */
  readonly out: Slot;
  readonly rows: Rows;
  /** Where the matrix has an adapter. */
  readonly scratch?: AdapterScratch | undefined;
}

export interface BackwardLinearArgs {
  /** [N, out] */
  readonly dOut: Slot;
  /** [N, in], of the forward pass */
  readonly x: Slot;
  /** [N, in], =; absent where nothing below is trained */
  readonly dX?: Slot;
  readonly rows: Rows;
  /** Where the matrix has an adapter. */
  readonly scratch?: AdapterScratch | undefined;
  /** The forward pass's output and residual, read only if the adapter has magnitudes. */
  readonly forward?: Pick<ForwardLinearArgs, 'out' | 'residual'>;
}

/** @param gradients for a backward pass */
export function matrixOf(name: MatrixName, weights: LayerSlots, gradients?: LayerGradients): LinearMatrix {
  const hasBias = name === 'qkv';
  return {
    weight: weights[name],
    bias: hasBias ? weights.qkvBias : undefined,
    gradient: gradients?.[name],
    biasGradient: hasBias ? gradients?.qkvBias : undefined,
    adapter: weights.adapters[name],
    adapterGradient: gradients?.adapters[name],
  };
}

/** The head, for whole rows of logits. @param gradient for a backward pass; undefined where it is frozen */
export function headOf({ head }: Pick<ParameterSet, 'head'>, gradient?: Slot): LinearMatrix {
  return { weight: head, bias: undefined, gradient, biasGradient: undefined };
}

/** out = x·weightᵀ (+ bias) (+ residual) (+ the adapter's) */
export function forwardLinear(
  kernels: Kernels,
  matrix: LinearMatrix,
  { x, residual, out, rows, scratch }: ForwardLinearArgs,
): void {
  const { weight, bias, adapter } = matrix;
  const scale = adapter?.columnScale;
  const added = { bias, residual };
  kernels.linear({ x, weight, ...(scale === undefined && added), out, rows });
  if (adapter === undefined) return;
  const inner = innerOf(adapter, scratch?.inner, x);
  forwardInner(kernels, adapter, x, inner, rows);
  for (const { loraB, firstColumn, firstInput } of adapter.parts) {
    kernels.linear({ x: inner, firstInput, weight: loraB, residual: out, out, firstColumn, rows });
  }
  if (scale !== undefined) kernels.scaleColumns({ x: out, scale, ...added, out, rows });
}

/** Gradients of the trained parts of matrix and adapter, +=, then dX if requested. */
export function backwardLinear(kernels: Kernels, matrix: LinearMatrix, args: BackwardLinearArgs): void {
  const { weight, gradient, biasGradient, adapter, adapterGradient } = matrix;
  const { x, dX, rows, scratch } = args;
  const dOut = adapter?.columnScale === undefined ? args.dOut : backwardScale(kernels, matrix, args);
  if (gradient !== undefined) {
    kernels.linearWeightGradient({ dOut, x, dWeight: gradient, dBias: biasGradient, rows });
  }
  if (dX !== undefined) kernels.linearInputGradient({ dOut, weight, dX, rows });
  if (adapter === undefined || adapterGradient === undefined) return;
  const inner = innerOf(adapter, scratch?.inner, x);
  const dInner = innerOf(adapter, scratch?.dInner, x);
  forwardInner(kernels, adapter, x, inner, rows);
  adapter.parts.forEach(({ loraB, firstColumn, firstInput }, i) => {
    const dWeight = adapterGradient.parts[i]?.loraB as Slot; // its parts are the adapter's
    kernels.linearWeightGradient({ dOut, firstColumn, x: inner, firstInput, dWeight, rows });
    kernels.linearInputGradient({ dOut, firstColumn, weight: loraB, dX: dInner, firstInput, rows });
  });
  kernels.scale({ out: dInner, factor: adapter.scale, rows });
  kernels.linearWeightGradient({ dOut: dInner, x, dWeight: adapterGradient.loraA, rows });
  if (dX !== undefined) {
    kernels.linearInputGradient({ dOut: dInner, weight: adapter.loraA, dX, accumulate: true, rows });
  }
}

/** Gradients of the magnitudes, +=, and g ⊙ dOut. */
function backwardScale(
  kernels: Kernels,
  { bias, adapter, adapterGradient }: LinearMatrix,
  { dOut, rows, scratch, forward }: BackwardLinearArgs,
): Slot {
  const [scale, room] = [adapter?.columnScale, scratch?.magnitudes?.dScaled];
  if (scale === undefined || room === undefined || forward === undefined)
    throw new Error('magnitudes, and no room or forward pass for them');
  const { out, residual } = forward;
  adapter?.parts.forEach(({ magnitudes, firstColumn }, i) => {
    const { magnitude } = magnitudes as PartMagnitudes; // where the matrix is scaled, so is each of its parts
    const dMagnitude = adapterGradient?.parts[i]?.magnitudes?.magnitude;
    if (dMagnitude === undefined) return;
    kernels.magnitudeGradient({ dOut, out, bias, residual, magnitude, firstColumn, dMagnitude, rows });
  });
  const scaled = { ...room, shape: dOut.shape };
  kernels.scaleColumns({ x: dOut, scale, out: scaled, rows });
  return scaled;
}

/** A·Wᵀ [A's rows, out] and A·Aᵀ [A's rows, A's rows] of the A beside a matrix. */
export function adapterProducts(
  kernels: Kernels,
  weight: Slot,
  loraA: Slot,
  room: MagnitudeScratch,
): Pick<MagnitudeScratch, 'products' | 'gram'> {
  const [inner = 0] = loraA.shape;
  const products = { ...room.products, shape: [inner, weight.shape[0] ?? 0] };
  const gram = { ...room.gram, shape: [inner, inner] };
  const rows = { begin: 0, end: inner };
  kernels.linear({ x: loraA, weight, out: products, rows });
  kernels.linear({ x: loraA, weight: loraA, out: gram, rows });
  return { products, gram };
}

/** u = s·x·Aᵀ of all modules of a matrix */
function forwardInner(kernels: Kernels, { loraA, scale }: MatrixAdapter, x: Slot, inner: Slot, rows: Rows): void {
  kernels.linear({ x, weight: loraA, out: inner, rows });
  kernels.scale({ out: inner, factor: scale, rows });
}

/** A part of the scratch with the rows of `x` and the width of this adapter. */
function innerOf({ loraA }: MatrixAdapter, scratch: Slot | undefined, x: Slot): Slot {
  if (scratch === undefined) throw new Error('an adapter, and no room was planned for it');
  const [rows, width] = [x.shape[0] ?? 0, loraA.shape[0] ?? 0];
  return { ...scratch, shape: [rows, width] };
}
