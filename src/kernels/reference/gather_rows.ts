/** Picks rows, such as those that carry a loss. Formulas and shapes: kernels.ts (gatherRows). */
import type { ReferenceKernel } from './reference_kernel.ts';
import { int, real } from './shapes.ts';

/** out[places[i]] = x[index[i]]; without places out[i] = x[index[i]] */
export const gatherRows: ReferenceKernel<'gatherRows'> = {
  rules: ({ places }) => ({
    x: real('N', 'D'),
    index: int('R'),
    places: int('R'),
    out: real(places ? 'M' : 'R', 'D'),
    rows: 'R',
  }),
  run({ x, index, places, out, rows }, { D }) {
    for (let r = rows.begin; r < rows.end; r++) {
      const to = places ? places[r] : r;
      for (let i = 0; i < D; i++) out[to * D + i] = x[index[r] * D + i];
    }
  },
};

/** dX[r] = Σ dOut[i] over the gathered rows i that came from r, in order */
export const gatherRowsBackward: ReferenceKernel<'gatherRowsBackward'> = {
  rules: () => ({ dOut: real('R', 'D'), offsets: int('N+1'), dX: real('N', 'D'), rows: 'N' }),
  run({ dOut, offsets, dX, rows }, { D }) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let i = 0; i < D; i++) {
        let sum = 0;
        for (let gathered = offsets[r]; gathered < offsets[r + 1]; gathered++) sum += dOut[gathered * D + i];
        dX[r * D + i] = sum;
      }
    }
  },
};
