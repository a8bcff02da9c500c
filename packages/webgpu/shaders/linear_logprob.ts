/**
 * Log-probability of one target per row under a linear head, and its gradient, by chunks of rows: [R, V] never exists.
 * Formulas and shapes: kernels.ts (linearLogprob). Forward: one workgroup of 256 per row of logits. Backward: logits
 * recomputed, turned into dz in place, then two products.
 *
 * Cost: R·V·D multiply-adds forward, three times that backward.
 */
import type { LinearLogprobArgs, LinearLogprobBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { FLAT_INDEX, flatWorkgroups, read, widthOf, write } from '../recorder.ts';
import { fromColumn } from './linear.ts';
import { chunkWork, chunkWorkgroups, ROW_STATISTICS, recordLogits, vocabularyOf } from './logits.ts';
import { EXP } from './math.ts';
import { recordProduct, recordWeightGradient, SEGMENT } from './matmul.ts';

/** u = (hidden·weightᵀ)/T;  logprobs = u[target] − logSumExp */
export function linearLogprob(recorder: Recorder, args: LinearLogprobArgs): void {
  const vocab = vocabularyOf(args.weight);
  recordLogits(recorder, args, (chunk) => {
    recorder.dispatch({
      label: 'linearLogprob',
      operands: {
        logits: read(chunk.logits),
        targets: read(args.targets),
        temperature: read(args.temperature),
        logprobs: write(args.logprobs),
        log_sum_exp: write(args.logSumExp),
        entropies: write(args.entropies),
      },
      counts: { begin: chunk.rows.begin, end: chunk.rows.end },
      scalars: { vocab },
      reductions: 256,
      code: /* wgsl */ `
${ROW_STATISTICS}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {
  let r = begin() + group.x;
  row_at = group.x * P.vocab;
  inverse_temperature = 1.0 / load_temperature(0u);
  let found = row_statistics(t);
  if (t == 0u) {
    store_logprobs(r, tempered_above(u32(load_targets(r)), found.log_sum_exp));
    store_log_sum_exp(r, found.log_sum_exp);
    store_entropies(r, found.entropy);
  }
}`,
      workgroups: () => chunkWorkgroups(chunk),
      work: () => chunkWork(chunk, 16),
    });
  });
}

/** dz = du/T;  dHidden = dz·weight;  dWeight += dzᵀ·hidden */
export function linearLogprobBackward(recorder: Recorder, args: LinearLogprobBackwardArgs): void {
  const { hidden, weight, dHidden, dWeight } = args;
  const vocab = vocabularyOf(weight);
  recordLogits(recorder, args, (chunk) => {
    const { rows, logits } = chunk;
    recorder.dispatch({
      label: 'linearLogprobBackward dz',
      operands: {
        logits: write(logits),
        targets: read(args.targets),
        temperature: read(args.temperature),
        log_sum_exp: read(args.logSumExp),
        entropies: read(args.entropies),
        dLogprobs: read(args.dLogprobs),
        dEntropies: read(args.dEntropies),
      },
      counts: { begin: rows.begin, end: rows.end },
      scalars: { vocab },
      code: /* wgsl */ `
${EXP}
${FLAT_INDEX}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  let i = flat_index(group, groups, t);
  if (i >= (end() - begin()) * P.vocab) { return; }
  let r = begin() + i / P.vocab;
  let v = i % P.vocab;
  let inverse_temperature = 1.0 / load_temperature(0u);
  let log_p = fma(load_logits(i), inverse_temperature, -load_log_sum_exp(r));
  let p = exp_f32(log_p);
  let is_target = select(0.0, 1.0, v == u32(load_targets(r)));
  let du = load_dLogprobs(r) * (is_target - p) - load_dEntropies(r) * p * (log_p + load_entropies(r));
  store_logits(i, du * inverse_temperature);
}`,
      workgroups: () => flatWorkgroups((rows.end.value - rows.begin.value) * vocab),
      work: () => chunkWork(chunk, 16),
    });
    for (const { begin, end, slot } of recorder.pieces(weight, SEGMENT)) {
      recordProduct(recorder, {
        label: 'linearLogprobBackward dHidden',
        form: 'NN',
        a: fromColumn(logits, begin),
        b: slot,
        out: dHidden,
        accumulate: begin > 0,
        inner: end - begin,
        columns: widthOf(weight),
        aStride: vocab,
        rows,
        aIsChunk: true,
      });
    }
    if (dWeight === undefined) return;
    for (const { begin, end, slot } of recorder.pieces(dWeight, SEGMENT)) {
      recordWeightGradient(recorder, {
        label: 'linearLogprobBackward dWeight',
        a: fromColumn(logits, begin),
        b: hidden,
        out: slot,
        columns: end - begin,
        inner: widthOf(hidden),
        aStride: vocab,
        rows,
        aIsChunk: true,
      });
    }
  });
}
