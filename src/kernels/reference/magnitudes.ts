/** Columns scaled to magnitudes, and the magnitudes' gradient. Formulas and shapes: kernels.ts (scaleColumns). */
import { columnsOf } from '../columns.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { real } from './shapes.ts';

/** out = scale ⊙ x (+ bias) (+ residual) */
export const scaleColumns: ReferenceKernel<'scaleColumns'> = {
  rules: () => ({
    x: real('N', 'out'),
    scale: real('out'),
    bias: real('out'),
    residual: real('N', 'out'),
    out: real('N', 'out'),
    rows: 'N',
  }),
  run({ x, scale, bias, residual, out, rows }, { out: M }) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let o = 0; o < M; o++) {
        const at = r * M + o;
        out[at] = scale[o] * x[at] + (bias?.[o] ?? 0) + (residual?.[at] ?? 0);
      }
    }
  },
};

/** scale = magnitude / ‖W + s·B·A‖, by row */
export const magnitudeScale: ReferenceKernel<'magnitudeScale'> = {
  rules: ({ products, firstColumn, loraB, gram, firstInput }) => {
    columnsOf('magnitudeScale.products', products, firstColumn, loraB.shape[0]);
    columnsOf('magnitudeScale.gram', gram, firstInput, loraB.shape[1]);
    return {
      magnitude: real('out'),
      baseNorms: real('out'),
      loraB: real('out', 'r'),
      products: real('inner', 'stride'),
      gram: real('inner', 'inner'),
      scale: real('out'),
    };
  },
  run(
    { magnitude, baseNorms, loraB, products, gram, firstInput, firstColumn, factor, scale },
    { out: M, r: rank, inner, stride },
  ) {
    for (let o = 0; o < M; o++) {
      let [once, twice] = [0, 0];
      for (let k = 0; k < rank; k++) {
        const b = loraB[o * rank + k];
        once += b * products[(firstInput + k) * stride + firstColumn + o];
        for (let l = 0; l < rank; l++) {
          twice += b * gram[(firstInput + k) * inner + firstInput + l] * loraB[o * rank + l];
        }
      }
      const squared = baseNorms[o] ** 2 + factor * (2 * once + factor * twice);
      scale[o] = squared > 0 ? magnitude[o] / Math.sqrt(squared) : 1;
    }
  },
};

/** dMagnitude += Σ_r dOut·(out − residual − bias) / magnitude, row after row */
export const magnitudeGradient: ReferenceKernel<'magnitudeGradient'> = {
  rules: ({ dOut, firstColumn, magnitude }) => {
    columnsOf('magnitudeGradient.dOut', dOut, firstColumn, magnitude.shape[0]);
    return {
      dOut: real('N', 'stride'),
      out: real('N', 'stride'),
      bias: real('stride'),
      residual: real('N', 'stride'),
      magnitude: real('out'),
      dMagnitude: real('out'),
      rows: 'N',
    };
  },
  run({ dOut, out, bias, residual, magnitude, firstColumn, dMagnitude, rows }, { out: M, stride }) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let o = 0; o < M; o++) {
        if (magnitude[o] === 0) continue;
        const at = r * stride + firstColumn + o;
        const scaled = out[at] - (residual?.[at] ?? 0) - (bias?.[firstColumn + o] ?? 0);
        dMagnitude[o] += (dOut[at] * scaled) / magnitude[o];
      }
    }
  },
};
