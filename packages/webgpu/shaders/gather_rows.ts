/** Picks rows, such as those that carry a loss. Formulas and shapes: kernels.ts (gatherRows). One thread per element. */
import type { GatherRowsArgs, GatherRowsBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { read, write } from '../recorder.ts';
import { elementwise } from './elementwise.ts';

/** out[places[i]] = x[index[i]]; without places out[i] = x[index[i]] */
export function gatherRows(recorder: Recorder, { x, index, places, out, rows }: GatherRowsArgs): void {
  const to = places ? 'u32(load_places(r)) * P.width + column' : 'i';
  elementwise(recorder, {
    label: 'gatherRows',
    operands: { x: read(x), index: read(index), places: places && read(places), out: write(out) },
    rows,
    per: out,
    code: `store_out(${to}, load_x(u32(load_index(r)) * P.width + column));`,
  });
}

/** dX[r] = Σ dOut[i] over the gathered rows i that came from r, in order */
export function gatherRowsBackward(recorder: Recorder, { dOut, offsets, dX, rows }: GatherRowsBackwardArgs): void {
  elementwise(recorder, {
    label: 'gatherRowsBackward',
    operands: { dOut: read(dOut), offsets: read(offsets), dX: write(dX) },
    rows,
    per: dX,
    code: /* wgsl */ `
  var sum = 0.0;
  for (var gathered = load_offsets(r); gathered < load_offsets(r + 1u); gathered++) {
    sum += load_dOut(u32(gathered) * P.width + column);
  }
  store_dX(i, sum);`,
  });
}
