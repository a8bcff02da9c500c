/** Picks rows, such as those that carry a loss. Formulas and shapes: kernels.ts (gatherRows). */
import type { GatherRowsArgs, GatherRowsBackwardArgs } from '../kernels.ts';
import type { Dimensions, Opened } from './operands.ts';

/** out[places[i]] = x[index[i]]; without places out[i] = x[index[i]] */
export function gatherRows({ x, index, places, out, rows }: Opened<GatherRowsArgs>, { D }: Dimensions): void {
  for (let r = rows.begin; r < rows.end; r++) {
    const to = places ? places[r] : r;
    for (let i = 0; i < D; i++) out[to * D + i] = x[index[r] * D + i];
  }
}

/** dX[r] = Σ dOut[i] over the gathered rows i that came from r, in order */
export function gatherRowsBackward(
  { dOut, offsets, dX, rows }: Opened<GatherRowsBackwardArgs>,
  { D }: Dimensions,
): void {
  for (let r = rows.begin; r < rows.end; r++) {
    for (let i = 0; i < D; i++) {
      let sum = 0;
      for (let gathered = offsets[r]; gathered < offsets[r + 1]; gathered++) sum += dOut[gathered * D + i];
      dX[r * D + i] = sum;
    }
  }
}
