/** Picks rows, such as those that carry a loss. Formulas and shapes: ../kernels.ts (gatherRows). */
import * as tf from '@tensorflow/tfjs';
import type { GatherRowsArgs, GatherRowsBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Opened } from './operands.ts';
import { takeRows } from './take_rows.ts';

/** out[places[i]] = x[index[i]], a run of neighbouring places at a time; without places out[i] = x[index[i]] */
export function gatherRows({ x, index, places, out, rows }: Opened<GatherRowsArgs>): void {
  const taken = takeRows(x.tensor(), index.ints.slice(rows.begin, rows.end));
  if (places === undefined) {
    out.set(taken, rows);
    return;
  }
  for (let first = rows.begin; first < rows.end; ) {
    const begin = places.ints[first] as number;
    let length = 1;
    while (first + length < rows.end && places.ints[first + length] === begin + length) length++;
    out.set(tf.slice(taken, first - rows.begin, length), { begin, end: begin + length });
    first += length;
  }
}

/** The gradient of `takeRows` by x, of which rows [rows.begin, rows.end) are asked. */
export function gatherRowsBackward({ dOut, offsets, dX, rows }: Opened<GatherRowsBackwardArgs>): void {
  const first = offsets.ints[rows.begin];
  const last = offsets.ints[rows.end];
  if (first === last) {
    dX.clear(rows);
    return;
  }
  const index = new Int32Array(last - first);
  for (let r = rows.begin; r < rows.end; r++) {
    index.fill(r - rows.begin, offsets.ints[r] - first, offsets.ints[r + 1] - first);
  }
  const gradient = tf.grad((x) => takeRows(x, index));
  dX.set(gradient(dX.tensor(rows), dOut.tensor({ begin: first, end: last })), rows);
}
