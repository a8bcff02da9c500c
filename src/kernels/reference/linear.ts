/** Linear layer with weight [out, in], and its two gradients. Formulas and shapes: kernels.ts (linear). */
import type { LinearArgs, LinearInputGradientArgs, LinearWeightGradientArgs } from '../kernels.ts';
import type { Dimensions, Opened, Values } from './operands.ts';

/** out = x·weightᵀ (+ bias) (+ residual) */
export function linear(
  { x, weight, bias, residual, out, rows }: Opened<LinearArgs>,
  { in: K, out: M }: Dimensions,
): void {
  for (let r = rows.begin; r < rows.end; r++) {
    for (let o = 0; o < M; o++) {
      let sum = dot(x, r * K, weight, o * K, K);
      if (bias !== undefined) sum += bias[o];
      if (residual !== undefined) sum += residual[r * M + o];
      out[r * M + o] = sum;
    }
  }
}

/** dX = dOut·weight */
export function linearInputGradient(
  { dOut, weight, dX, rows }: Opened<LinearInputGradientArgs>,
  { in: K, out: M }: Dimensions,
): void {
  for (let r = rows.begin; r < rows.end; r++) {
    for (let i = 0; i < K; i++) {
      let sum = 0;
      for (let o = 0; o < M; o++) sum += dOut[r * M + o] * weight[o * K + i];
      dX[r * K + i] = sum;
    }
  }
}

/** dWeight += dOutᵀ·x;  dBias += Σ_r dOut[r];  both row after row */
export function linearWeightGradient(
  { dOut, x, dWeight, dBias, rows }: Opened<LinearWeightGradientArgs>,
  { in: K, out: M }: Dimensions,
): void {
  for (let r = rows.begin; r < rows.end; r++) {
    for (let o = 0; o < M; o++) {
      for (let i = 0; i < K; i++) dWeight[o * K + i] += dOut[r * M + o] * x[r * K + i];
      if (dBias !== undefined) dBias[o] += dOut[r * M + o];
    }
  }
}

/** Σ a[aAt + i]·b[bAt + i] over `size` elements. */
export function dot(a: Values, aAt: number, b: Values, bAt: number, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += a[aAt + i] * b[bAt + i];
  return sum;
}
