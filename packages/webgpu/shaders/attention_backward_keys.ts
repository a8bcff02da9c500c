/**
 * What kv rows get in attention's backward pass. Formulas and order: attention_backward.ts. A pair of query row and kv row
 * that does not read adds 0, so that a kv row has the same bits in either form, in whatever tile it lies.
 *
 *   one by one   a workgroup of 64 per kv row and kv head, over the query rows that may read it in blocks of 64
 *   tiled        for GPUs: a workgroup per tile of neighbouring kv rows and kv head, over the query rows that may read any
 *                of them in blocks of 16. A thread scores one pair of the block, then folds the block into a sixteenth of
 *                one kv row's elements. Keys and values of the tile stay in workgroup memory, 10 KiB; threads of a tile
 *                read the same query rows at the same time.
 *
 * Cost: 5·hd multiply-adds for a pair of query head and key; a query row is read once for a kv row, or for a tile.
 */
import type { Heads } from '../../../src/kernels/kernels.ts';
import { type Folds, GROUP_INDEX, keyGeometry } from './attention.ts';
import { EXP } from './math.ts';

/** Query rows of a block, and threads that share a kv row's elements. */
const BLOCK = 16;

/** kv rows of a tile, as many as fit workgroup memory; undefined where heads are too wide for any. */
export function tileKeys({ headDim }: Heads): number | undefined {
  if (headDim <= 64) return 16;
  return headDim <= 128 ? 8 : undefined;
}

/** WGSL: whether a query row reads a kv row. */
const READS = /* wgsl */ `
fn reads(r: u32, j: i32) -> bool {
  return (j >= load_intervals(4u * r) && j < load_intervals(4u * r + 1u)) ||
    (j >= load_intervals(4u * r + 2u) && j < load_intervals(4u * r + 3u));
}`;

/** WGSL: `weight` and `slope` of the pair of query row r and the key and value at `at` of workgroup memory. */
function scoredPair({ overHead }: Folds, at: string): string {
  return /* wgsl */ `
        let row_at = (r * P.heads + h) * P.size;
        var score = 0.0;
        var d_p = 0.0;
        var delta = 0.0;
        ${overHead(
          { d: 'load_dOut(row_at + i)', q: 'load_q(row_at + i)', o: 'load_out(row_at + i)' },
          `score = fma(q, key[${at}], score); d_p = fma(d, value[${at}], d_p); delta = fma(d, o, delta);`,
        )}
        weight = exp_f32(fma(score, P.scale, -load_log_sum_exp(r * P.heads + h)));
        slope = P.scale * (weight * (d_p - delta));`;
}

/** WGSL. Workgroups: tiles by kv heads, as `rowHeadWorkgroups` has them. */
export function keysTiled(heads: Heads, keys: number, folds: Folds): string {
  const each = Math.ceil(heads.headDim / BLOCK);
  return /* wgsl */ `
${EXP}
${keyGeometry(heads)}
const KEYS = ${keys}u;
// One word more than a row, so that the keys of a tile lie in different banks.
const STRIDE = ${each * BLOCK + 1}u;
var<workgroup> key: array<f32, KEYS * STRIDE>;
var<workgroup> value: array<f32, KEYS * STRIDE>;
// [query row, kv row]
var<workgroup> weights: array<f32, ${BLOCK}u * KEYS>;
var<workgroup> slopes: array<f32, ${BLOCK}u * KEYS>;
${READS}
@compute @workgroup_size(${BLOCK * keys})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  let index = ${GROUP_INDEX};
  let first_key = index / P.kv_heads * KEYS;
  let key_end = min(first_key + KEYS, keys());
  let kv_head = index % P.kv_heads;
  var reader_begin = 0xffffffffu;
  var reader_end = 0u;
  for (var j = first_key; j < key_end; j++) {
    let last = u32(load_readers(P.capacity + j));
    if (last == 0u) { continue; }
    reader_end = max(reader_end, last);
    reader_begin = min(reader_begin, u32(1073741824 - load_readers(j)));
  }
  if (reader_end == 0u) { return; }

  // The kv row whose elements this thread folds, from its lane on, every ${BLOCK}th.
  let own = t / ${BLOCK}u;
  let lane = t % ${BLOCK}u;
  let own_at = ((first_key + own) * 2u * P.kv_heads + kv_head) * P.size + lane;
  let exists = first_key + own < key_end;
  var d_key: array<f32, ${each}>;
  var d_value: array<f32, ${each}>;
  for (var part = 0u; part < ${each}u; part++) {
    let i = part * ${BLOCK}u;
    if (!exists || lane + i >= P.size) { continue; }
    key[own * STRIDE + lane + i] = load_kv(own_at + i);
    value[own * STRIDE + lane + i] = load_kv(own_at + P.kv_heads * P.size + i);
    d_key[part] = load_dKv(own_at + i);
    d_value[part] = load_dKv(own_at + P.kv_heads * P.size + i);
  }
  workgroupBarrier();

  // The pair that this thread scores.
  let place = (t % KEYS) * STRIDE;
  let j = first_key + t % KEYS;
  let share = P.heads / P.kv_heads;
  for (var h = kv_head * share; h < (kv_head + 1u) * share; h++) {
    for (var first = reader_begin; first < reader_end; first += ${BLOCK}u) {
      let r = first + t / KEYS;
      var weight = 0.0;
      var slope = 0.0;
      if (r < reader_end && j < key_end && reads(r, i32(j))) {
        ${scoredPair(folds, 'place + i')}
      }
      weights[t] = weight;
      slopes[t] = slope;
      workgroupBarrier();
      for (var c = 0u; c < min(${BLOCK}u, reader_end - first); c++) {
        let source = ((first + c) * P.heads + h) * P.size + lane;
        let w = weights[c * KEYS + own];
        let s = slopes[c * KEYS + own];
        for (var part = 0u; part < ${each}u; part++) {
          let i = part * ${BLOCK}u;
          if (lane + i >= P.size) { continue; }
          d_key[part] = fma(s, load_q(source + i), d_key[part]);
          d_value[part] = fma(w, load_dOut(source + i), d_value[part]);
        }
      }
      workgroupBarrier();
    }
  }
  for (var part = 0u; part < ${each}u; part++) {
    let i = part * ${BLOCK}u;
    if (!exists || lane + i >= P.size) { continue; }
    store_dKv(own_at + i, d_key[part]);
    store_dKv(own_at + P.kv_heads * P.size + i, d_value[part]);
  }
}`;
}

/** WGSL: one workgroup per kv row and kv head. */
export function keysOneByOne(heads: Heads, folds: Folds): string {
  return /* wgsl */ `
${EXP}
${keyGeometry(heads)}
var<workgroup> key: array<f32, SLICES * 64u>;
var<workgroup> value: array<f32, SLICES * 64u>;
var<workgroup> weights: array<f32, 64>;
var<workgroup> slopes: array<f32, 64>;
${READS}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  let index = ${GROUP_INDEX};
  let j = index / P.kv_heads;
  if (j >= keys()) { return; }
  let reader_end = u32(load_readers(P.capacity + j));
  if (reader_end == 0u) { return; }
  let reader_begin = u32(1073741824 - load_readers(j));
  let kv_head = index % P.kv_heads;
  let at = (j * 2u * P.kv_heads + kv_head) * P.size;
  let v_at = at + P.kv_heads * P.size;
  for (var i = t; i < P.size; i += 64u) {
    key[i] = load_kv(at + i);
    value[i] = load_kv(v_at + i);
  }
  workgroupBarrier();
  var d_key: array<f32, SLICES>;
  var d_value: array<f32, SLICES>;
  for (var slice = 0u; slice < SLICES; slice++) {
    let i = slice * 64u + t;
    if (i < P.size) { d_key[slice] = load_dKv(at + i); d_value[slice] = load_dKv(v_at + i); }
  }
  let share = P.heads / P.kv_heads;
  for (var h = kv_head * share; h < (kv_head + 1u) * share; h++) {
    for (var first = reader_begin; first < reader_end; first += 64u) {
      let count = min(64u, reader_end - first);
      let r = first + t;
      var weight = 0.0;
      var slope = 0.0;
      if (t < count && reads(r, i32(j))) {
        ${scoredPair(folds, 'i')}
      }
      weights[t] = weight;
      slopes[t] = slope;
      workgroupBarrier();
      for (var slice = 0u; slice < SLICES; slice++) {
        let i = slice * 64u + t;
        if (i < P.size) {
          var k_sum = d_key[slice];
          var v_sum = d_value[slice];
          ${folds.overBlock(
            {
              q: 'load_q(((first + c) * P.heads + h) * P.size + i)',
              d: 'load_dOut(((first + c) * P.heads + h) * P.size + i)',
            },
            'k_sum = fma(slopes[c], q, k_sum); v_sum = fma(weights[c], d, v_sum);',
          )}
          d_key[slice] = k_sum;
          d_value[slice] = v_sum;
        }
      }
      workgroupBarrier();
    }
  }
  for (var slice = 0u; slice < SLICES; slice++) {
    let i = slice * 64u + t;
    if (i < P.size) { store_dKv(at + i, d_key[slice]); store_dKv(v_at + i, d_value[slice]); }
  }
}`;
}
