/** Linear layer with weight [out, in], and its two gradients. Formulas and shapes: kernels.ts (linear). */
import type { Values } from './operands.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { columns, inputs, matrix, real } from './shapes.ts';

/** out = x·weightᵀ (+ bias) (+ residual) */
export const linear: ReferenceKernel<'linear'> = {
  rules: ({ x, weight, out, firstColumn, firstInput }) => {
    const result = columns('linear.out', out, firstColumn, weight);
    return {
      x: inputs('linear.x', x, firstInput, weight),
      weight: matrix(['forward'], 'out', 'in'),
      bias: real('out'),
      residual: result,
      out: result,
      rows: 'N',
    };
  },
  run(
    { x, weight, bias, residual, out, firstColumn = 0, firstInput = 0, rows },
    { in: K, out: M, stride = M, inputStride = K },
  ) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let o = 0; o < M; o++) {
        let sum = dot(x, r * inputStride + firstInput, weight, o * K, K);
        if (bias !== undefined) sum += bias[o];
        const at = r * stride + firstColumn + o;
        if (residual !== undefined) sum += residual[at];
        out[at] = sum;
      }
    }
  },
};

/** dX = dOut·weight, or dX += dOut·weight */
export const linearInputGradient: ReferenceKernel<'linearInputGradient'> = {
  rules: ({ dOut, weight, dX, firstColumn, firstInput }) => ({
    dOut: columns('linearInputGradient.dOut', dOut, firstColumn, weight),
    weight: matrix(['backward'], 'out', 'in'),
    dX: inputs('linearInputGradient.dX', dX, firstInput, weight),
    rows: 'N',
  }),
  run(
    { dOut, weight, dX, accumulate = false, firstColumn = 0, firstInput = 0, rows },
    { in: K, out: M, stride = M, inputStride = K },
  ) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let i = 0; i < K; i++) {
        let sum = 0;
        for (let o = 0; o < M; o++) sum += dOut[r * stride + firstColumn + o] * weight[o * K + i];
        const at = r * inputStride + firstInput + i;
        dX[at] = accumulate ? sum + dX[at] : sum;
      }
    }
  },
};

/** dWeight += dOutᵀ·x;  dBias += Σ_r dOut[r];  both row after row */
export const linearWeightGradient: ReferenceKernel<'linearWeightGradient'> = {
  rules: ({ dOut, x, dWeight, firstColumn, firstInput }) => ({
    dOut: columns('linearWeightGradient.dOut', dOut, firstColumn, dWeight),
    x: inputs('linearWeightGradient.x', x, firstInput, dWeight),
    dWeight: real('out', 'in'),
    dBias: real('out'),
    rows: 'N',
  }),
  run(
    { dOut, x, dWeight, dBias, firstColumn = 0, firstInput = 0, rows },
    { in: K, out: M, stride = M, inputStride = K },
  ) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let o = 0; o < M; o++) {
        const gradient = dOut[r * stride + firstColumn + o];
        for (let i = 0; i < K; i++) dWeight[o * K + i] += gradient * x[r * inputStride + firstInput + i];
        if (dBias !== undefined) dBias[o] += gradient;
      }
    }
  },
};

/** Σ a[aAt + i]·b[bAt + i] over `size` elements. */
export function dot(a: Values, aAt: number, b: Values, bAt: number, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += a[aAt + i] * b[bAt + i];
  return sum;
}
