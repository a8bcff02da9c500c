/**
 * Root-mean-square norm, arXiv:1910.07467. Formulas and shapes: kernels.ts (rmsNorm). One workgroup of 64 per row: each
 * thread folds every 64th element, then workgroup_sum. The weight's gradient has one thread per column, row after row.
 *
 * Cost: forward 2 loads per element, backward 7 and one read-modify-write.
 */
import type { RmsNormArgs, RmsNormBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { MOST_WORKGROUPS, read, widthOf, write } from '../recorder.ts';
import { foldInOrder } from './math.ts';

/** WGSL: the row of a workgroup, rows along x and then y. */
export const GROUP_ROW = 'group.y * 65535u + group.x';

/** One workgroup per row. */
function rowWorkgroups(rows: ReturnType<Recorder['rows']>): readonly [number, number] {
  const count = Math.max(0, rows.end.value - rows.begin.value);
  return [Math.min(count, MOST_WORKGROUPS), Math.ceil(count / MOST_WORKGROUPS)];
}

/** out = x · rstd · weight */
export function rmsNorm(recorder: Recorder, args: RmsNormArgs): void {
  const rows = recorder.rows(args.rows);
  const width = widthOf(args.x);
  recorder.dispatch({
    label: 'rmsNorm',
    operands: { x: read(args.x), weight: read(args.weight), out: write(args.out), rstd: write(args.rstd) },
    counts: { begin: rows.begin, end: rows.end },
    scalars: { width, eps: { float: args.eps } },
    reductions: 64,
    code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {
  let r = begin() + ${GROUP_ROW};
  if (r >= end()) { return; }
  var squares = 0.0;
  for (var i = t; i < P.width; i += 64u) { let x = load_x(r * P.width + i); squares = fma(x, x, squares); }
  let rstd = 1.0 / sqrt(workgroup_sum(t, squares) / f32(P.width) + P.eps);
  for (var i = t; i < P.width; i += 64u) { store_out(r * P.width + i, load_x(r * P.width + i) * rstd * load_weight(i)); }
  if (t == 0u) { store_rstd(r, rstd); }
}`,
    workgroups: () => rowWorkgroups(rows),
  });
}

/** g = dOut·weight;  dX += rstd·g − x·rstd³·mean(g·x);  dWeight += Σ_r dOut·x·rstd */
export function rmsNormBackward(recorder: Recorder, args: RmsNormBackwardArgs): void {
  const rows = recorder.rows(args.rows);
  const width = widthOf(args.x);
  const { x, weight, rstd, dOut, dX, dWeight } = args;
  const counts = { begin: rows.begin, end: rows.end };
  recorder.dispatch({
    label: 'rmsNormBackward dX',
    operands: { x: read(x), weight: read(weight), rstd: read(rstd), dOut: read(dOut), dX: write(dX) },
    counts,
    scalars: { width },
    reductions: 64,
    code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) t: u32) {
  let r = begin() + ${GROUP_ROW};
  if (r >= end()) { return; }
  var dot = 0.0;
  for (var i = t; i < P.width; i += 64u) {
    let at = r * P.width + i;
    dot = fma(load_dOut(at) * load_weight(i), load_x(at), dot);
  }
  let rstd = load_rstd(r);
  let slope = rstd * rstd * rstd * (workgroup_sum(t, dot) / f32(P.width));
  for (var i = t; i < P.width; i += 64u) {
    let at = r * P.width + i;
    store_dX(at, load_dX(at) + fma(-slope, load_x(at), rstd * load_dOut(at) * load_weight(i)));
  }
}`,
    workgroups: () => rowWorkgroups(rows),
  });
  if (dWeight === undefined) return;
  recorder.dispatch({
    label: 'rmsNormBackward dWeight',
    operands: { x: read(x), rstd: read(rstd), dOut: read(dOut), dWeight: write(dWeight) },
    counts,
    scalars: { width },
    code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= P.width) { return; }
  var sum = load_dWeight(id.x);
  ${foldInOrder({
    index: 'r',
    from: 'begin()',
    to: 'end()',
    loads: { out: 'load_dOut(r * P.width + id.x)', x: 'load_x(r * P.width + id.x)', scale: 'load_rstd(r)' },
    fold: 'sum = fma(out, x * scale, sum);',
  })}
  store_dWeight(id.x, sum);
}`,
    workgroups: () => (rows.end.value > rows.begin.value ? [Math.ceil(width / 64), 1] : [0, 0]),
    work: () => (rows.end.value - rows.begin.value) * width,
  });
}
