/**
 * Rows by their numbers, with a gradient that needs no atomics and no UnsortedSegmentSum: tfjs-wasm lacks that
 * kernel, and tfjs-webgpu's adds with atomics, in whatever order.
 *
 *   takeRows   out[i] = x[index[i]];               d x[r] = Σ d out[i] over index[i] = r
 *   placeRows  the same where no row is read twice: its gradient is the same operation the other way round
 *
 * Sums go pairwise, level by level: ⌈log2(most readers)⌉ + 1 gathers, about two copies of the rows in all.
 */
import * as tf from '@tensorflow/tfjs';

/** An index that stands for a row of zeros. */
export const NO_ROW = -1;

/** Row numbers as tfjs takes them. */
export function indexTensor(index: Int32Array): tf.Tensor1D {
  return tf.tensor1d(index, 'int32');
}

/** [M, …] rows `index` of x [N, …], differentiable in x. */
export function takeRows(x: tf.Tensor, index: Int32Array): tf.Tensor {
  const count = x.shape[0];
  const take = tf.customGrad((rows) => ({
    value: tf.gather(rows as tf.Tensor, indexTensor(index)),
    gradFunc: (dOut: tf.Tensor) => sumRows(dOut, index, count),
  }));
  return take(x);
}

/**
 * [M, …] rows `index` of x [N, …], zeros for NO_ROW; differentiable in x.
 * @param places [N] where in `index` each row of x is, or NO_ROW: its inverse
 */
export function placeRows(x: tf.Tensor, index: Int32Array, places: Int32Array): tf.Tensor {
  const place = tf.customGrad((rows) => ({
    value: gatherOrZero(rows as tf.Tensor, index),
    gradFunc: (dOut: tf.Tensor) => gatherOrZero(dOut, places),
  }));
  return place(x);
}

/** [count, …]: sums of the rows of x [M, …] that share an index; zeros for an index that none has. */
function sumRows(x: tf.Tensor, index: Int32Array, count: number): tf.Tensor {
  const { order, offsets } = sortByIndex(index, count);
  return sumRuns(x, order, offsets);
}

/** [runs, …]: sums of the rows order[offsets[s]] … order[offsets[s + 1] − 1] of x, for each run s. */
function sumRuns(x: tf.Tensor, order: Int32Array, offsets: Int32Array): tf.Tensor {
  let [rows, from, bounds] = [x, order, offsets];
  while (longestRun(bounds) > 1) {
    const halves = pairRuns(from, bounds);
    rows = tf.add(gatherOrZero(rows, halves.left), gatherOrZero(rows, halves.right));
    bounds = halves.offsets;
    from = Int32Array.from({ length: bounds.at(-1) as number }, (_, i) => i);
  }
  const last = new Int32Array(bounds.length - 1).map((_, run) => {
    const at = bounds[run];
    return at < bounds[run + 1] ? from[at] : NO_ROW;
  });
  return gatherOrZero(rows, last);
}

/** Rows of x, and zeros where the index is NO_ROW. */
function gatherOrZero(x: tf.Tensor, index: Int32Array): tf.Tensor {
  if (!index.includes(NO_ROW)) return tf.gather(x, indexTensor(index));
  const zeroRow = x.shape[0];
  const padded = tf.concat([x, tf.zeros([1, ...x.shape.slice(1)])], 0);
  return tf.gather(padded, indexTensor(index.map((row) => (row === NO_ROW ? zeroRow : row))));
}

/** Pairs neighbours within each run; an odd last one is paired with zeros. */
function pairRuns(
  order: Int32Array,
  offsets: Int32Array,
): { left: Int32Array; right: Int32Array; offsets: Int32Array } {
  const next = new Int32Array(offsets.length);
  for (let run = 0; run + 1 < offsets.length; run++) {
    const length = offsets[run + 1] - offsets[run];
    next[run + 1] = next[run] + Math.ceil(length / 2);
  }
  const left = new Int32Array(next.at(-1) as number);
  const right = new Int32Array(left.length);
  for (let run = 0; run + 1 < offsets.length; run++) {
    const end = offsets[run + 1];
    let to = next[run];
    for (let at = offsets[run]; at < end; at += 2) {
      left[to] = order[at];
      right[to++] = at + 1 < end ? order[at + 1] : NO_ROW;
    }
  }
  return { left, right, offsets: next };
}

function longestRun(offsets: Int32Array): number {
  let longest = 0;
  for (let run = 0; run + 1 < offsets.length; run++) {
    longest = Math.max(longest, offsets[run + 1] - offsets[run]);
  }
  return longest;
}

/** Positions by the index that they hold, ties in order, and where each index begins. */
function sortByIndex(index: Int32Array, count: number): { order: Int32Array; offsets: Int32Array } {
  const offsets = new Int32Array(count + 1);
  for (const row of index) offsets[row + 1] = offsets[row + 1] + 1;
  for (let row = 0; row < count; row++) offsets[row + 1] = offsets[row + 1] + offsets[row];
  const next = offsets.slice();
  const order = new Int32Array(index.length);
  index.forEach((row, position) => {
    const at = next[row];
    order[at] = position;
    next[row] = at + 1;
  });
  return { order, offsets };
}
