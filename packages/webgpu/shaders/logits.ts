/**
 * Chunks of logits, and what the scorer and the sampler both take of a row of them: with the same function, so that
 * their log-probs have the same bits.
 */
import type { Rows, Slot } from '../../../src/kernels/memory.ts';
import { slotLength } from '../../../src/kernels/memory.ts';
import type { CountEntry } from '../counts.ts';
import { LOGITS } from '../layout.ts';
import type { Recorder } from '../recorder.ts';
import { widthOf } from '../recorder.ts';
import { fromColumn } from './linear.ts';
import { EXP, LOG } from './math.ts';
import { recordProduct, SEGMENT } from './matmul.ts';

/** Rows of one chunk. */
export interface Chunk {
  readonly rows: { readonly begin: CountEntry; readonly end: CountEntry };
  /** [chunk rows, V], the chunk's first row first */
  readonly logits: Slot;
}

/**
 * hidden·weightᵀ by chunks of rows: for each chunk that `hidden` has room for, records its logits, then what `then`
 * records. A replay runs the chunks that have rows.
 */
export function recordLogits(
  recorder: Recorder,
  { hidden, weight, rows }: { readonly hidden: Slot; readonly weight: Slot; readonly rows: Rows },
  then: (chunk: Chunk) => void,
): void {
  const { counts, layout } = recorder.context;
  const vocabSize = weight.shape[0] ?? 0;
  const capacity = hidden.shape[0] ?? 0;
  const chunkRows = Math.min(capacity, Math.floor((layout.arenas.get(LOGITS)?.length ?? 0) / vocabSize));
  const logits: Slot = { arena: LOGITS, dtype: 'real', offset: 0, shape: [chunkRows, vocabSize] };
  const all = recorder.rows(rows);
  for (let first = 0; first < capacity; first += chunkRows) {
    const key = `chunk ${first}+${chunkRows} of ${all.begin.index}-${all.end.index}`;
    const place = (row: number): number => Math.min(all.end.value, all.begin.value + row);
    const chunk: Chunk = {
      rows: {
        begin: counts.derived(`${key} begin`, () => place(first)),
        end: counts.derived(`${key} end`, () => place(first + chunkRows)),
      },
      logits,
    };
    for (const { begin, end, slot } of recorder.pieces(weight, SEGMENT)) {
      recordProduct(recorder, {
        label: 'logits',
        form: 'NT',
        a: hidden,
        b: slot,
        out: fromColumn(logits, begin),
        inner: widthOf(weight),
        columns: end - begin,
        outStride: vocabSize,
        rows: chunk.rows,
        outIsChunk: true,
      });
    }
    then(chunk);
  }
}

/** One workgroup per row of a chunk. */
export function chunkWorkgroups({ rows }: Chunk): readonly [number, number] {
  const count = rows.end.value - rows.begin.value;
  return count > 0 ? [count, 1] : [0, 0];
}

/** Elements of a chunk's rows, as the amount of work. */
export function chunkWork({ rows, logits }: Chunk, passes: number): number {
  return (rows.end.value - rows.begin.value) * widthOf(logits) * passes;
}

/**
 * WGSL, 256 invocations per row that reduce together: `row_statistics` of the tempered logits u = logit·inverse_temperature from `row_at`
 * on. P.vocab is their number.
 *
 * What is subtracted from u goes through `tempered_above`: a compiler may fuse the product with the subtraction or not,
 * kernel by kernel, and NVIDIA's does.
 */
export const ROW_STATISTICS = /* wgsl */ `
${EXP}
${LOG}
var<private> row_at: u32;
var<private> inverse_temperature: f32;
fn tempered(v: u32) -> f32 { return load_logits(row_at + v) * inverse_temperature; }
fn tempered_above(v: u32, base: f32) -> f32 { return fma(load_logits(row_at + v), inverse_temperature, -base); }
struct Statistics { largest: f32, log_sum_exp: f32, entropy: f32 }
fn row_statistics(t: u32) -> Statistics {
  var largest = -3.0e38;
  for (var v = t; v < P.vocab; v += 256u) { largest = max(largest, tempered(v)); }
  largest = workgroup_max(t, largest);
  var mass = 0.0;
  var moment = 0.0;
  for (var v = t; v < P.vocab; v += 256u) {
    let distance = tempered_above(v, largest);
    let e = exp_f32(distance);
    mass += e;
    moment = fma(e, distance, moment);
  }
  mass = workgroup_sum(t, mass);
  moment = workgroup_sum(t, moment);
  let log_mass = log_f32(mass);
  return Statistics(largest, largest + log_mass, fma(-moment, 1.0 / mass, log_mass));
}`;

/** Elements of a slot, for a scalar parameter. */
export function vocabularyOf(weight: Slot): number {
  return slotLength(weight) / widthOf(weight);
}
