/**
 * Attention over intervals, backward, in two passes without float atomics. Formulas: kernels.ts (attentionBackward).
 *
 *   dQ    one workgroup of 64 per row and query head, over the row's keys in blocks of 64, as in the forward
 *   dKv   one workgroup of 64 a kv row and kv head, over the query rows that may read it in blocks of 64; on GPUs by
 *         tiles of kv rows (attention_backward_keys.ts)
 *
 * Which rows read a kv row is looked up: a first pass raises, for each kv row, the last reader + 1 and the largest
 * (2³⁰ − first reader). Raising integers gives one result in any order. Layers that share the intervals share it.
 */
import type { AttentionBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Slot } from '../../../src/kernels/memory.ts';
import type { CountEntry } from '../counts.ts';
import { KEY_READERS } from '../layout.ts';
import type { Recorder } from '../recorder.ts';
import { flatWorkgroups, raise, read, write } from '../recorder.ts';
import { foldsFor, GROUP_INDEX, geometryScalars, keyGeometry, rowHeadWorkgroups } from './attention.ts';
import { keysOneByOne, keysTiled, tileKeys } from './attention_backward_keys.ts';
import { fill } from './elementwise.ts';
import { EXP } from './math.ts';

interface Bounds {
  /** Query rows of all prefix groups. */
  readonly begin: CountEntry;
  readonly end: CountEntry;
  /** 1 + the last kv row that any of them reads. */
  readonly keys: CountEntry;
}

export function attentionBackward(recorder: Recorder, args: AttentionBackwardArgs): void {
  const bounds = boundsOf(recorder, args);
  const readers: Slot = { arena: KEY_READERS, dtype: 'int', offset: 0, shape: [2, args.kv.shape[0] ?? 0] };
  recordReaders(recorder, args, bounds, readers);
  recordQueries(recorder, args, bounds);
  recordKeys(recorder, args, bounds, readers);
}

/** What the host knows of the prefix groups, since it wrote them. */
function boundsOf(recorder: Recorder, { prefixGroups, intervals, prefixGroupCount }: AttentionBackwardArgs): Bounds {
  const { counts, shadow } = recorder.context;
  const count = counts.of(prefixGroupCount);
  const offsets = shadow(prefixGroups.arena);
  const ranges = shadow(intervals.arena);
  const key = `${prefixGroups.arena}:${prefixGroups.offset}:${intervals.offset}:${count.index}`;
  const rowAt = (group: number): number => offsets[prefixGroups.offset + group] as number;
  const lastKey = (): number => {
    let most = 0;
    for (let r = rowAt(0); r < rowAt(count.value); r++) {
      const at = intervals.offset + 4 * r;
      if ((ranges[at + 1] as number) > (ranges[at] as number)) most = Math.max(most, ranges[at + 1] as number);
      if ((ranges[at + 3] as number) > (ranges[at + 2] as number)) most = Math.max(most, ranges[at + 3] as number);
    }
    return most;
  };
  return {
    begin: counts.derived(`begin ${key}`, () => rowAt(0)),
    end: counts.derived(`end ${key}`, () => rowAt(count.value)),
    keys: counts.derived(`keys ${key}`, lastKey),
  };
}

/** readers[0, j] = 2³⁰ − first row that reads j, readers[1, j] = its last one + 1; 0 where none does. */
function recordReaders(recorder: Recorder, args: AttentionBackwardArgs, bounds: Bounds, readers: Slot): void {
  const fact = `readers ${args.intervals.arena}:${args.intervals.offset}:${bounds.end.index}:${readers.shape}`;
  if (recorder.established.has(fact)) return;
  for (const other of recorder.established) if (other.startsWith('readers ')) recorder.established.delete(other);
  recorder.established.add(fact);
  fill(recorder, { out: readers, value: 0 });
  const rowCount = (): number => bounds.end.value - bounds.begin.value;
  recorder.dispatch({
    label: 'attentionBackward readers',
    operands: { intervals: read(args.intervals), readers: raise(readers) },
    counts: { begin: bounds.begin, end: bounds.end },
    scalars: { capacity: readers.shape[1] ?? 0 },
    code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let r = begin() + id.x;
  if (r >= end()) { return; }
  for (var part = 0u; part < 2u; part++) {
    for (var j = load_intervals(4u * r + 2u * part); j < load_intervals(4u * r + 2u * part + 1u); j++) {
      raise_readers(u32(j), 1073741824 - i32(r));
      raise_readers(P.capacity + u32(j), i32(r) + 1);
    }
  }
}`,
    workgroups: () => flatWorkgroups(rowCount()),
    work: () => rowCount() * 64,
  });
}

function recordQueries(recorder: Recorder, args: AttentionBackwardArgs, bounds: Bounds): void {
  const { numHeads, headDim } = args.heads;
  const rowCount = (): number => bounds.end.value - bounds.begin.value;
  const { overHead, overBlock } = foldsFor(recorder.context);
  recorder.dispatch({
    label: 'attentionBackward dQ',
    operands: {
      q: read(args.q),
      kv: read(args.kv),
      intervals: read(args.intervals),
      out: read(args.out),
      log_sum_exp: read(args.logSumExp),
      dOut: read(args.dOut),
      dQ: write(args.dQ),
    },
    counts: { begin: bounds.begin, end: bounds.end },
    scalars: { ...geometryScalars(args.heads), scale: { float: args.scale } },
    code: /* wgsl */ `
${EXP}
${keyGeometry(args.heads)}
var<workgroup> query: array<f32, SLICES * 64u>;
var<workgroup> d_out: array<f32, SLICES * 64u>;
var<workgroup> slopes: array<f32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  let index = ${GROUP_INDEX};
  let r = begin() + index / P.heads;
  if (r >= end()) { return; }
  let h = index % P.heads;
  let row_at = (r * P.heads + h) * P.size;
  for (var i = t; i < P.size; i += 64u) {
    query[i] = load_q(row_at + i);
    d_out[i] = load_dOut(row_at + i);
  }
  workgroupBarrier();
  let keys = keys_of(r);
  let log_sum_exp = load_log_sum_exp(r * P.heads + h);
  var delta = 0.0;
  ${overHead({ o: 'load_out(row_at + i)' }, 'delta = fma(d_out[i], o, delta);')}
  var sums: array<f32, SLICES>;
  for (var first = 0u; first < keys.count; first += 64u) {
    let count = min(64u, keys.count - first);
    if (t < count) {
      let row = key_row(keys, first + t);
      let k_at = key_at(row, h);
      let v_at = value_at(row, h);
      var score = 0.0;
      var d_p = 0.0;
      ${overHead(
        { k: 'load_kv(k_at + i)', v: 'load_kv(v_at + i)' },
        'score = fma(query[i], k, score); d_p = fma(d_out[i], v, d_p);',
      )}
      slopes[t] = exp_f32(fma(score, P.scale, -log_sum_exp)) * (d_p - delta);
    }
    workgroupBarrier();
    for (var slice = 0u; slice < SLICES; slice++) {
      let i = slice * 64u + t;
      if (i < P.size) {
        var sum = sums[slice];
        ${overBlock({ k: 'load_kv(key_at(key_row(keys, first + c), h) + i)' }, 'sum = fma(slopes[c], k, sum);')}
        sums[slice] = sum;
      }
    }
    workgroupBarrier();
  }
  for (var slice = 0u; slice < SLICES; slice++) {
    let i = slice * 64u + t;
    if (i < P.size) { store_dQ(row_at + i, P.scale * sums[slice]); }
  }
}`,
    workgroups: () => rowHeadWorkgroups(rowCount(), numHeads),
    work: () => rowCount() * numHeads * headDim * 128,
  });
}

function recordKeys(recorder: Recorder, args: AttentionBackwardArgs, bounds: Bounds, readers: Slot): void {
  const { numHeads, numKvHeads, headDim } = args.heads;
  const folds = foldsFor(recorder.context);
  const tile = recorder.context.tiling === 'workgroups' ? tileKeys(args.heads) : undefined;
  recorder.dispatch({
    label: 'attentionBackward dKv',
    operands: {
      q: read(args.q),
      kv: read(args.kv),
      intervals: read(args.intervals),
      readers: read(readers),
      out: read(args.out),
      log_sum_exp: read(args.logSumExp),
      dOut: read(args.dOut),
      dKv: write(args.dKv),
    },
    counts: { keys: bounds.keys },
    scalars: { ...geometryScalars(args.heads), scale: { float: args.scale }, capacity: readers.shape[1] ?? 0 },
    code: tile === undefined ? keysOneByOne(args.heads, folds) : keysTiled(args.heads, tile, folds),
    workgroups: () => rowHeadWorkgroups(Math.ceil(bounds.keys.value / (tile ?? 1)), numKvHeads),
    work: () => (bounds.end.value - bounds.begin.value) * numHeads * headDim * 192,
  });
}
