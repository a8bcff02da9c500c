/** Muon, kellerjordan.github.io/posts/muon. Formula and shapes: kernels.ts (muon). */
import { BackendError } from '../../errors.ts';
import { MUON, MUON_MATRICES, NEWTON_SCHULZ } from '../kernels.ts';
import { slotLength } from '../memory.ts';
import { clipFactor } from './adamw.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { real } from './shapes.ts';

/** One optimizer step of some matrices; nothing changes where the norm is not finite. */
export const muon: ReferenceKernel<'muon'> = {
  rules: ({ parameters, matrices }) => {
    const length = slotLength(parameters);
    const lies = matrices.every(({ begin, rows, columns }) => begin >= 0 && begin + rows * columns <= length);
    if (!lies || matrices.length === 0 || matrices.length > MUON_MATRICES) {
      const rule = `needs 1 to ${MUON_MATRICES} matrices within ${length} parameters`;
      throw new BackendError('operand-mismatch', `muon: ${rule}; given ${JSON.stringify(matrices)}.`);
    }
    return {
      parameters: real('length'),
      gradients: real('length'),
      firstMoment: real('length'),
      norm: real(1),
      settings: real(MUON.length),
    };
  },
  run({ parameters, gradients, firstMoment, norm, settings, matrices }) {
    if (!Number.isFinite(norm[0])) return;
    const clip = clipFactor(norm[0], settings[MUON.maxGradNorm]);
    const [rate, momentum] = [settings[MUON.learningRate], settings[MUON.momentum]];
    const keep = 1 - rate * settings[MUON.weightDecay];
    for (const { begin, rows, columns } of matrices) {
      const ahead = Float64Array.from({ length: rows * columns }, (_, i) => {
        const g = gradients[begin + i] * clip;
        firstMoment[begin + i] = momentum * firstMoment[begin + i] + (1 - momentum) * g;
        return momentum * firstMoment[begin + i] + (1 - momentum) * g;
      });
      const scale = rate * 0.2 * Math.sqrt(Math.max(rows, columns));
      orthogonalized(ahead, rows, columns).forEach((value, i) => {
        parameters[begin + i] = parameters[begin + i] * keep - scale * value;
      });
    }
  },
};

/** The matrix with singular values near 1. */
function orthogonalized(matrix: Float64Array, rows: number, columns: number): Float64Array {
  if (rows > columns)
    return transposed(orthogonalized(transposed(matrix, rows, columns), columns, rows), columns, rows);
  const { steps, a, b, c, epsilon } = NEWTON_SCHULZ;
  const norm = Math.sqrt(matrix.reduce((sum, value) => sum + value ** 2, 0));
  let x = matrix.map((value) => value / Math.max(norm, epsilon));
  for (let step = 0; step < steps; step++) {
    const gram = product(x, transposed(x, rows, columns), rows);
    const factor = product(gram, gram, rows).map((value, i) => b * gram[i] + c * value);
    const moved = product(factor, x, rows);
    x = x.map((value, i) => a * value + moved[i]);
  }
  return x;
}

/** left·right; left has `rows` rows. */
function product(left: Float64Array, right: Float64Array, rows: number): Float64Array {
  const inner = left.length / rows;
  const columns = right.length / inner;
  return Float64Array.from({ length: rows * columns }, (_, at) => {
    const [r, column] = [Math.floor(at / columns), at % columns];
    let sum = 0;
    for (let k = 0; k < inner; k++) sum += left[r * inner + k] * right[k * columns + column];
    return sum;
  });
}

function transposed(matrix: Float64Array, rows: number, columns: number): Float64Array {
  return matrix.map((_, at) => matrix[(at % rows) * columns + Math.floor(at / rows)]);
}
