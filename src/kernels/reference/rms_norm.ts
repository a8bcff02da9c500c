/** Root-mean-square norm, arXiv:1910.07467. Formulas and shapes: kernels.ts (rmsNorm). */
import type { Values } from './operands.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { real } from './shapes.ts';

/** out = x · rstd · weight */
export const rmsNorm: ReferenceKernel<'rmsNorm'> = {
  rules: () => ({ x: real('N', 'D'), weight: real('D'), out: real('N', 'D'), rstd: real('N'), rows: 'N' }),
  run({ x, weight, out, rstd, eps, rows }, { D }) {
    for (let r = rows.begin; r < rows.end; r++) {
      rstd[r] = inverseRms(x, r * D, D, eps);
      for (let i = 0; i < D; i++) out[r * D + i] = x[r * D + i] * rstd[r] * weight[i];
    }
  },
};

/** g = dOut·weight;  dX += rstd·g − x·rstd³·mean(g·x);  dWeight += Σ_r dOut·x·rstd */
export const rmsNormBackward: ReferenceKernel<'rmsNormBackward'> = {
  rules: () => ({
    x: real('N', 'D'),
    weight: real('D'),
    rstd: real('N'),
    dOut: real('N', 'D'),
    dX: real('N', 'D'),
    dWeight: real('D'),
    rows: 'N',
  }),
  run({ x, weight, rstd, dOut, dX, dWeight, rows }, { D }) {
    for (let r = rows.begin; r < rows.end; r++) {
      let sum = 0;
      for (let i = 0; i < D; i++) sum += dOut[r * D + i] * weight[i] * x[r * D + i];
      const mean = sum / D;
      for (let i = 0; i < D; i++) {
        const at = r * D + i;
        dX[at] += rstd[r] * dOut[at] * weight[i] - x[at] * rstd[r] ** 3 * mean;
        if (dWeight !== undefined) dWeight[i] += dOut[at] * x[at] * rstd[r];
      }
    }
  },
};

/** 1 / √(mean(x²) + eps) over the `size` elements from `at` on. */
export function inverseRms(x: Values, at: number, size: number, eps: number): number {
  let squares = 0;
  for (let i = 0; i < size; i++) squares += x[at + i] ** 2;
  return 1 / Math.sqrt(squares / size + eps);
}
