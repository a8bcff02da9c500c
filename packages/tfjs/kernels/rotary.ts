/**
 * Rotary position embedding (arXiv:2104.09864) of queries and keys in the half-split form, after an optional RMS norm
 * of each head, and the store of keys and values. Formulas and shapes: ../kernels.ts (rotary).
 */
import * as tf from '@tensorflow/tfjs';
import type { RotaryArgs, RotaryBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Opened, Operand, RowRange } from './operands.ts';
import { normalize } from './rms_norm.ts';
import { indexTensor } from './take_rows.ts';

type Inputs = Pick<Opened<RotaryArgs>, 'positions' | 'cos' | 'sin' | 'heads' | 'eps' | 'rows'>;

/** q = rotate(norm(q));  kv[kvRows[r]] = rotate(norm(k)), v */
export function rotary(args: Opened<RotaryArgs>): void {
  const { qkv, q, kv, kvRows, qNorm, kNorm, heads, rows } = args;
  const rotated = rotateHeads(args, qkv.tensor(rows), qNorm?.tensor(), kNorm?.tensor());
  const width = heads.numHeads * heads.headDim;
  q.set(tf.slice(rotated, [0, 0], [-1, width]), rows);
  storeRows(kv, tf.slice(rotated, [0, width], [-1, -1]), kvRows.ints.subarray(rows.begin, rows.end));
}

/** dQkv by tf.grads of the same formula; dKv is read at kvRows. */
export function rotaryBackward(args: Opened<RotaryBackwardArgs>): void {
  const { qkv, kvRows, dQ, dKv, dQkv, qNorm, kNorm, dQNorm, dKNorm, heads, rows } = args;
  const dKeysAndValues = tf.gather(dKv.tensor(), indexTensor(kvRows.ints.slice(rows.begin, rows.end)));
  const dRotated = tf.concat([dQ.tensor(rows), dKeysAndValues], 1);
  const scaleOf = (norm: Operand | undefined): tf.Tensor => norm?.tensor() ?? tf.ones([heads.headDim]);
  const gradients = tf.grads((x: tf.Tensor, a: tf.Tensor, b: tf.Tensor) =>
    // A norm that is not there must stay in the graph, which tf.grads insists on: + 0·a.
    tf.add(rotateHeads(args, x, qNorm && a, kNorm && b), tf.mul(0, tf.sum(tf.add(a, b)))),
  );
  const [dInput, dA, dB] = gradients([qkv.tensor(rows), scaleOf(qNorm), scaleOf(kNorm)], dRotated) as tf.Tensor[];
  dQkv.set(dInput as tf.Tensor, rows);
  dQNorm?.add(dA as tf.Tensor);
  dKNorm?.add(dB as tf.Tensor);
}

/** [N, (H + 2·HK)·hd] with the heads of q and k normed and rotated, and v as it is. */
function rotateHeads(args: Inputs, qkv: tf.Tensor, qNorm?: tf.Tensor, kNorm?: tf.Tensor): tf.Tensor {
  const { heads, eps, rows } = args;
  const { numHeads: H, numKvHeads: HK, headDim: hd } = heads;
  const N = rows.end - rows.begin;
  const perHead = tf.reshape(qkv, [N, H + 2 * HK, hd]);
  const [q, k, v] = tf.split(perHead, [H, HK, HK], 1) as [tf.Tensor, tf.Tensor, tf.Tensor];
  const qk = tf.concat([qNorm ? normalize(q, qNorm, eps) : q, kNorm ? normalize(k, kNorm, eps) : k], 1);
  return tf.reshape(tf.concat([rotate(args, qk), v], 1), [N, (H + 2 * HK) * hd]);
}

/** (a, b) → (a·cos − b·sin, b·cos + a·sin) at each row's position; a and b are the halves of a head. */
function rotate({ positions, cos, sin, rows }: Inputs, x: tf.Tensor): tf.Tensor {
  const index = indexTensor(positions.ints.slice(rows.begin, rows.end));
  const factorsOf = (table: Operand): tf.Tensor => tf.expandDims(tf.gather(table.tensor(), index), 1);
  const [c, s] = [factorsOf(cos), factorsOf(sin)];
  const [a, b] = tf.split(x, 2, 2) as [tf.Tensor, tf.Tensor];
  return tf.concat([tf.sub(tf.mul(a, c), tf.mul(b, s)), tf.add(tf.mul(b, c), tf.mul(a, s))], 2);
}

/** slot[index[i]] = values[i]: a range of rows where the numbers are consecutive, as in training. */
function storeRows(slot: Operand, values: tf.Tensor, index: Int32Array): void {
  const first = index[0];
  if (index.every((row, i) => row === first + i)) {
    slot.set(values, { begin: first, end: first + index.length } satisfies RowRange);
    return;
  }
  const capacity = slot.shape[0];
  const from = new Int32Array(capacity).map((_, row) => row);
  index.forEach((row, i) => {
    from[row] = capacity + i;
  });
  slot.set(tf.gather(tf.concat([slot.tensor(), values], 0), indexTensor(from)));
}
