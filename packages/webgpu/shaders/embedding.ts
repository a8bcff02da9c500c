/**
 * Token embedding and its gradient. Formulas and shapes: kernels.ts (embedding). Forward: one thread per element.
 * Backward: one thread per column of a bucket, row after row: deterministic without atomics.
 *
 * A table that is larger than one kernel can see is visited piece by piece; a piece skips the tokens of others.
 */
import type { EmbeddingArgs, EmbeddingBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { FLAT_INDEX, flatWorkgroups, read, widthOf, write } from '../recorder.ts';
import { elementwise } from './elementwise.ts';

/** out[r] = table[tokens[r]] */
export function embedding(recorder: Recorder, { tokens, table, out, rows }: EmbeddingArgs): void {
  for (const { begin, end, slot } of recorder.pieces(table)) {
    elementwise(recorder, {
      label: 'embedding',
      operands: { tokens: read(tokens), table: read(slot), out: write(out) },
      rows,
      per: out,
      scalars: { first: begin, last: end },
      code: /* wgsl */ `
  let token = u32(load_tokens(r));
  if (token >= P.first && token < P.last) { store_out(i, load_table((token - P.first) * P.width + column)); }`,
    });
  }
}

/** dTable[token] += dOut[r], within a bucket row after row */
export function embeddingBackward(recorder: Recorder, args: EmbeddingBackwardArgs): void {
  const { dOut, sortedRows, bucketTokens, bucketOffsets, dTable } = args;
  const buckets = recorder.count(args.buckets);
  const width = widthOf(dTable);
  for (const { begin, end, slot } of recorder.pieces(dTable)) {
    recorder.dispatch({
      label: 'embeddingBackward',
      operands: {
        dOut: read(dOut),
        sorted_rows: read(sortedRows),
        bucket_tokens: read(bucketTokens),
        bucket_offsets: read(bucketOffsets),
        dTable: write(slot),
      },
      counts: { buckets },
      scalars: { width, first: begin, last: end },
      code: /* wgsl */ `
${FLAT_INDEX}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  let i = flat_index(group, groups, t);
  if (i >= buckets() * P.width) { return; }
  let bucket = i / P.width;
  let column = i % P.width;
  let token = u32(load_bucket_tokens(bucket));
  if (token < P.first || token >= P.last) { return; }
  let at = (token - P.first) * P.width + column;
  var sum = load_dTable(at);
  for (var place = load_bucket_offsets(bucket); place < load_bucket_offsets(bucket + 1u); place++) {
    sum += load_dOut(u32(load_sorted_rows(u32(place))) * P.width + column);
  }
  store_dTable(at, sum);
}`,
      workgroups: () => flatWorkgroups(buckets.value * width),
    });
  }
}
