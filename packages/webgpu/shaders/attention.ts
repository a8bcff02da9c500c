/**
 * Attention over the two intervals of each row, forward. Formulas and shapes: kernels.ts (attention).
 *
 * One workgroup of 64 per row and query head, with an online softmax over blocks of 64 keys, counted from the first
 * key of the row: each thread scores one key, all fold the block's scores, then each folds the block's values into its
 * own output elements, key after key. What a row gives depends on its keys and their order alone.
 *
 * Cost: 2·hd multiply-adds a key; keys and values are read once a row and head.
 */
import type { AttentionArgs, Heads } from '../../../src/kernels/kernels.ts';
import type { Recorder, RecorderContext } from '../recorder.ts';
import { read, write } from '../recorder.ts';
import { EXP, foldInOrder, LOG } from './math.ts';

/** Largest number of output elements a thread may hold, times 64. */
const MOST_WORKGROUPS_X = 65_535;

/** Scalar parameters that `keyGeometry` reads. */
export function geometryScalars({ numHeads, numKvHeads, headDim }: Heads): Readonly<Record<string, number>> {
  return { heads: numHeads, kv_heads: numKvHeads, size: headDim };
}

/**
 * WGSL: where the key at a place of a row's list lies in kv. The geometry is data, not constants: compilers unroll
 * loops of a known length, and lavapipe took 26 s of processor time for the backward with heads of 32.
 */
export function keyGeometry({ headDim }: Heads): string {
  return /* wgsl */ `
const SLICES = ${Math.ceil(headDim / 64)}u;
struct Keys { first: u32, first_count: u32, second: u32, count: u32 }
fn keys_of(r: u32) -> Keys {
  let a = u32(load_intervals(4u * r));
  let b = u32(max(load_intervals(4u * r + 1u), i32(a)));
  let c = u32(load_intervals(4u * r + 2u));
  let d = u32(max(load_intervals(4u * r + 3u), i32(c)));
  return Keys(a, b - a, c, b - a + d - c);
}
fn key_row(keys: Keys, place: u32) -> u32 {
  return select(keys.second + place - keys.first_count, keys.first + place, place < keys.first_count);
}
fn key_at(row: u32, h: u32) -> u32 { return (row * 2u * P.kv_heads + h * P.kv_heads / P.heads) * P.size; }
fn value_at(row: u32, h: u32) -> u32 { return key_at(row, h) + P.kv_heads * P.size; }`;
}

/** Workgroups of one row and head each: rows along x (and z, by y), heads within. */
export function rowHeadWorkgroups(rows: number, heads: number): readonly [number, number] {
  const total = Math.max(0, rows) * heads;
  const y = Math.ceil(total / MOST_WORKGROUPS_X);
  return y === 0 ? [0, 0] : [Math.ceil(total / y), y];
}

/** WGSL: number of a workgroup of `rowHeadWorkgroups`. */
export const GROUP_INDEX = 'group.y * groups.x + group.x';

/** WGSL that folds in order: the elements `i` of a head, and the `count` rows or keys `c` of a block. */
export interface Folds {
  readonly overHead: (loads: Readonly<Record<string, string>>, fold: string) => string;
  readonly overBlock: (loads: Readonly<Record<string, string>>, fold: string) => string;
}

/** With loads ahead on GPUs; software adapters would compile such texts for longer than they run. */
export function foldsFor({ tiling }: RecorderContext): Folds {
  const ahead = tiling === 'workgroups' ? undefined : { ahead: 1 };
  return {
    overHead: (loads, fold) => foldInOrder({ index: 'i', from: '0u', to: 'P.size', loads, fold, ...ahead }),
    overBlock: (loads, fold) => foldInOrder({ index: 'c', from: '0u', to: 'count', loads, fold, ...ahead }),
  };
}

/** out[r, h] = Σ_j softmax_j(scale·q[r, h]·k_j) v_j */
export function attention(recorder: Recorder, args: AttentionArgs): void {
  const rows = recorder.rows(args.rows);
  const rowCount = (): number => rows.end.value - rows.begin.value;
  const { numHeads, headDim } = args.heads;
  const { overHead, overBlock } = foldsFor(recorder.context);
  recorder.dispatch({
    label: 'attention',
    operands: {
      q: read(args.q),
      kv: read(args.kv),
      intervals: read(args.intervals),
      out: write(args.out),
      log_sum_exp: write(args.logSumExp),
    },
    counts: { begin: rows.begin, end: rows.end },
    scalars: { ...geometryScalars(args.heads), scale: { float: args.scale } },
    reductions: 64,
    code: /* wgsl */ `
${EXP}
${LOG}
${keyGeometry(args.heads)}
var<workgroup> query: array<f32, SLICES * 64u>;
var<workgroup> weights: array<f32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  let index = ${GROUP_INDEX};
  let r = begin() + index / P.heads;
  if (r >= end()) { return; }
  let h = index % P.heads;
  for (var i = t; i < P.size; i += 64u) { query[i] = load_q((r * P.heads + h) * P.size + i); }
  workgroupBarrier();
  let keys = keys_of(r);
  var largest = -3.0e38;
  var total = 0.0;
  var sums: array<f32, SLICES>;
  for (var first = 0u; first < keys.count; first += 64u) {
    let count = min(64u, keys.count - first);
    var score = -3.0e38;
    if (t < count) {
      let at = key_at(key_row(keys, first + t), h);
      score = 0.0;
      ${overHead({ k: 'load_kv(at + i)' }, 'score = fma(query[i], k, score);')}
      score *= P.scale;
    }
    // Its barrier also lets everyone finish with the weights of the block before.
    let block_largest = max(largest, workgroup_max(t, score));
    let weight = exp_f32(score - block_largest);
    weights[t] = weight;
    let shrink = exp_f32(largest - block_largest);
    total = fma(total, shrink, workgroup_sum(t, weight));
    for (var slice = 0u; slice < SLICES; slice++) {
      let i = slice * 64u + t;
      if (i < P.size) {
        var sum = sums[slice] * shrink;
        ${overBlock({ v: 'load_kv(value_at(key_row(keys, first + c), h) + i)' }, 'sum = fma(weights[c], v, sum);')}
        sums[slice] = sum;
      }
    }
    largest = block_largest;
  }
  for (var slice = 0u; slice < SLICES; slice++) {
    let i = slice * 64u + t;
    if (i < P.size) { store_out((r * P.heads + h) * P.size + i, sums[slice] / total); }
  }
  if (t == 0u) { store_log_sum_exp(r * P.heads + h, largest + log_f32(total)); }
}`,
    workgroups: () => rowHeadWorkgroups(rowCount(), numHeads),
    work: () => rowCount() * numHeads * headDim * 64,
  });
}
