/** Columns scaled to magnitudes, and the magnitudes' gradient. Formulas and shapes: kernels.ts (scaleColumns). */
import type { MagnitudeGradientArgs, MagnitudeScaleArgs, ScaleColumnsArgs } from '../magnitudes.ts';
import type { Dimensions, Opened } from './operands.ts';

/** out = scale ⊙ x (+ bias) (+ residual) */
export function scaleColumns(
  { x, scale, bias, residual, out, rows }: Opened<ScaleColumnsArgs>,
  { out: M }: Dimensions,
): void {
  for (let r = rows.begin; r < rows.end; r++) {
    for (let o = 0; o < M; o++) {
      const at = r * M + o;
      out[at] = scale[o] * x[at] + (bias?.[o] ?? 0) + (residual?.[at] ?? 0);
    }
  }
}

/** scale = magnitude / ‖W + s·B·A‖, by row */
export function magnitudeScale(
  { magnitude, baseNorms, loraB, products, gram, firstInput, firstColumn, factor, scale }: Opened<MagnitudeScaleArgs>,
  { out: M, r: rank, inner, stride }: Dimensions,
): void {
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
}

/** dMagnitude += Σ_r dOut·(out − residual − bias) / magnitude, row after row */
export function magnitudeGradient(
  { dOut, out, bias, residual, magnitude, firstColumn, dMagnitude, rows }: Opened<MagnitudeGradientArgs>,
  { out: M, stride }: Dimensions,
): void {
  for (let r = rows.begin; r < rows.end; r++) {
    for (let o = 0; o < M; o++) {
      if (magnitude[o] === 0) continue;
      const at = r * stride + firstColumn + o;
      const scaled = out[at] - (residual?.[at] ?? 0) - (bias?.[firstColumn + o] ?? 0);
      dMagnitude[o] += (dOut[at] * scaled) / magnitude[o];
    }
  }
}
