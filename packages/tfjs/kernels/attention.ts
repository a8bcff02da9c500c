/**
 * Attention of each row over the keys of its two intervals, with grouped heads. Formulas and shapes: ../kernels.ts
 * (attention). A row of `kv` holds the HK keys, then the HK values.
 *
 * Computed on dense tiles of rows × keys (attention_tiles.ts), scores in memory: H·rows·keys numbers a tile.
 */
import * as tf from '@tensorflow/tfjs';
import type { AttentionArgs, AttentionBackwardArgs, Heads } from '../../../src/kernels/kernels.ts';
import { type TileBatch, tileAttention } from './attention_tiles.ts';
import type { Opened, RowRange } from './operands.ts';
import { NO_ROW, placeRows } from './take_rows.ts';

interface Geometry {
  readonly heads: Heads;
  readonly scale: number;
}

/** out[r, h] = Σ_j softmax_j(scale·q[r, h]·k_j) v_j */
export function attention(args: Opened<AttentionArgs>): void {
  const { q, kv, intervals, out, logSumExp, heads, rows } = args;
  const batches = tilesOf(intervals.ints, rows, heads.numHeads);
  const [queries, keysAndValues] = [q.tensor(rows), kv.tensor()];
  const outputs = batches.map((batch) => {
    const { scores, values } = scoresOf(args, batch, queries, keysAndValues);
    return {
      attended: rowsOfTiles(args, batch, tf.matMul(tf.softmax(scores), values), rows),
      total: totalsOfTiles(args, batch, tf.logSumExp(scores, -1), rows),
    };
  });
  // Batches have different rows, and zeros elsewhere.
  out.set(sumOf(outputs.map(({ attended }) => attended)), rows);
  logSumExp.set(sumOf(outputs.map(({ total }) => total)), rows);
}

/** dQ and dKv by tf.grads of the forward; a row or key that no prefix group has gets nothing. */
export function attentionBackward(args: Opened<AttentionBackwardArgs>): void {
  const { q, kv, intervals, prefixGroups, prefixGroupCount, heads, dOut, dQ, dKv } = args;
  if (prefixGroupCount === 0) return;
  const rows = { begin: prefixGroups.ints[0], end: prefixGroups.ints[prefixGroupCount] };
  if (rows.begin === rows.end) return;
  const inputs = [q.tensor(rows), kv.tensor()];
  const parts = tilesOf(intervals.ints, rows, heads.numHeads).map((batch) => {
    const gradients = tf.grads((queries: tf.Tensor, keysAndValues: tf.Tensor) => {
      const { scores, values } = scoresOf(args, batch, queries, keysAndValues);
      return rowsOfTiles(args, batch, tf.matMul(tf.softmax(scores), values), rows);
    });
    return gradients(inputs, dOut.tensor(rows)) as [tf.Tensor, tf.Tensor];
  });
  dQ.set(sumOf(parts.map(([dQueries]) => dQueries)), rows);
  dKv.add(sumOf(parts.map(([, dKeysAndValues]) => dKeysAndValues)));
}

function sumOf(tensors: readonly tf.Tensor[]): tf.Tensor {
  return tensors.length === 1 ? (tensors[0] as tf.Tensor) : tf.addN([...tensors]);
}

/** Masked scores [tiles·HK, H/HK·rows, keys], and values [tiles·HK, keys, hd]. */
function scoresOf(
  { heads: { numHeads: H, numKvHeads: HK, headDim: hd }, scale }: Geometry,
  { tiles, rows, keys, rowAt, keyAt, mask }: TileBatch,
  queries: tf.Tensor,
  keysAndValues: tf.Tensor,
): { scores: tf.Tensor; values: tf.Tensor } {
  const shared = H / HK;
  const placed = placeRows(queries, rowAt, inverseOf(rowAt, queries.shape[0]));
  const q = tf.reshape(tf.transpose(tf.reshape(placed, [tiles, rows, H, hd]), [0, 2, 1, 3]), [
    tiles * HK,
    shared * rows,
    hd,
  ]);
  const kv = placeRows(keysAndValues, keyAt, inverseOf(keyAt, keysAndValues.shape[0]));
  const [k, v] = tf
    .split(tf.transpose(tf.reshape(kv, [tiles, keys, 2 * HK, hd]), [0, 2, 1, 3]), 2, 1)
    .map((part) => tf.reshape(part, [tiles * HK, keys, hd])) as [tf.Tensor, tf.Tensor];
  const scaled = tf.mul(tf.matMul(q, k, false, true), scale);
  const masked = tf.add(tf.reshape(scaled, [tiles, H, rows, keys]), tf.tensor4d(mask, [tiles, 1, rows, keys]));
  return { scores: tf.reshape(masked, [tiles * HK, shared * rows, keys]), values: v };
}

/** [tiles·HK, H/HK·rows, hd] → [N, H·hd], zeros in rows that no tile has. */
function rowsOfTiles(
  { heads: { numHeads: H, headDim: hd } }: Geometry,
  { tiles, rows, rowAt }: TileBatch,
  attended: tf.Tensor,
  { begin, end }: RowRange,
): tf.Tensor {
  const byRow = tf.reshape(tf.transpose(tf.reshape(attended, [tiles, H, rows, hd]), [0, 2, 1, 3]), [
    tiles * rows,
    H * hd,
  ]);
  return placeRows(byRow, inverseOf(rowAt, end - begin), rowAt);
}

/** [tiles·HK, H/HK·rows] → [N, H] */
function totalsOfTiles(
  { heads: { numHeads: H } }: Geometry,
  { tiles, rows, rowAt }: TileBatch,
  totals: tf.Tensor,
  { begin, end }: RowRange,
): tf.Tensor {
  const byRow = tf.reshape(tf.transpose(tf.reshape(totals, [tiles, H, rows]), [0, 2, 1]), [tiles * rows, H]);
  return placeRows(byRow, inverseOf(rowAt, end - begin), rowAt);
}

/** Where each of `count` rows is in `index`, or NO_ROW. */
function inverseOf(index: Int32Array, count: number): Int32Array {
  const places = new Int32Array(count).fill(NO_ROW);
  index.forEach((row, place) => {
    if (row !== NO_ROW) places[row] = place;
  });
  return places;
}

/** The tiles of the last call: every layer of a pass asks for the same ones. */
let last: { readonly key: Int32Array; readonly heads: number; readonly batches: readonly TileBatch[] } | undefined;

function tilesOf(intervals: Int32Array, { begin, end }: RowRange, heads: number): readonly TileBatch[] {
  const key = intervals.slice(begin * 4, end * 4);
  const isLast =
    last !== undefined &&
    last.heads === heads &&
    last.key.length === key.length &&
    last.key.every((value, i) => value === key[i]);
  if (!isLast) last = { key, heads, batches: tileAttention(key, heads) };
  return (last as { batches: readonly TileBatch[] }).batches;
}
