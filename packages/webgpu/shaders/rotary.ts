/**
 * Rotary position embedding, arXiv:2104.09864, after an optional RMS norm a head. Formulas and shapes: kernels.ts
 * (rotary). One thread a pair (i, i + hd/2) of a head; with a norm each of them folds its head's squares itself.
 *
 * The norm's weight gradient needs the terms of all rows before dQkv has its final value: they pass through dQkv.
 */
import type { RotaryArgs, RotaryBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Slot } from '../../../src/kernels/memory.ts';
import type { Operand, Recorder } from '../recorder.ts';
import { FLAT_INDEX, flatWorkgroups, read, write } from '../recorder.ts';
import { geometryScalars } from './attention.ts';

/** WGSL: how a pair turns, and where a key or value head lies in kv. */
const TURN = /* wgsl */ `
${FLAT_INDEX}
fn turn(r: u32, i: u32, pair: vec2f, direction: f32) -> vec2f {
  let at = u32(load_positions(r)) * P.half + i;
  let c = load_cos(at);
  let s = direction * load_sin(at);
  return vec2f(fma(-pair.y, s, pair.x * c), fma(pair.x, s, pair.y * c));
}
fn kv_at(r: u32, h: u32) -> u32 { return (u32(load_kv_rows(r)) * 2u * P.kv_heads + h - P.heads) * P.size; }`;

/** WGSL: load_<name>_weight(h, i), the norm's weight of a query or key head. */
function normWeight(hasNorm: boolean): string {
  if (!hasNorm) return '';
  return /* wgsl */ `
fn norm_weight(h: u32, i: u32) -> f32 { if (h < P.heads) { return load_q_norm(i); } return load_k_norm(i); }
fn inverse_rms(at: u32) -> f32 {
  var squares = 0.0;
  for (var i = 0u; i < P.size; i++) { let x = load_qkv(at + i); squares = fma(x, x, squares); }
  return 1.0 / sqrt(squares / f32(P.size) + P.eps);
}`;
}

type PairRequest = {
  readonly label: string;
  readonly args: Omit<RotaryArgs, 'q' | 'kv'>;
  readonly operands: Readonly<Record<string, Operand | undefined>>;
  /** Heads of a row that have threads. */
  readonly heads: number;
  readonly helpers: string;
  /** WGSL for pair `i` of head `h` of row `r`, which begins at `at` of qkv. */
  readonly code: string;
};

function recordPairs(recorder: Recorder, { label, args, operands, heads, helpers, code }: PairRequest): void {
  const rows = recorder.rows(args.rows);
  const half = args.heads.headDim / 2;
  recorder.dispatch({
    label,
    operands: {
      qkv: read(args.qkv),
      positions: read(args.positions),
      cos: read(args.cos),
      sin: read(args.sin),
      kv_rows: read(args.kvRows),
      q_norm: args.qNorm && read(args.qNorm),
      k_norm: args.kNorm && read(args.kNorm),
      ...operands,
    },
    counts: { begin: rows.begin, end: rows.end },
    scalars: { ...geometryScalars(args.heads), half, threads: heads, eps: { float: args.eps } },
    code: /* wgsl */ `
${TURN}
${normWeight(args.qNorm !== undefined)}
${helpers}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) t: u32) {
  let index = flat_index(group, groups, t);
  let r = begin() + index / (P.threads * P.half);
  if (r >= end()) { return; }
  let h = index / P.half % P.threads;
  let i = index % P.half;
  let at = (r * (P.heads + 2u * P.kv_heads) + h) * P.size;
  ${code}
}`,
    workgroups: () => flatWorkgroups((rows.end.value - rows.begin.value) * heads * half),
  });
}

/** q = rotate(norm(q));  kv[kvRows[r]] = rotate(norm(k)), v */
export function rotary(recorder: Recorder, args: RotaryArgs): void {
  const hasNorm = args.qNorm !== undefined;
  recordPairs(recorder, {
    label: 'rotary',
    args,
    operands: { q: write(args.q), kv: write(args.kv) },
    heads: args.heads.numHeads + 2 * args.heads.numKvHeads,
    helpers: '',
    code: /* wgsl */ `
  var pair = vec2f(load_qkv(at + i), load_qkv(at + i + P.half));
  if (h >= P.heads + P.kv_heads) {
    store_kv(kv_at(r, h) + i, pair.x);
    store_kv(kv_at(r, h) + i + P.half, pair.y);
    return;
  }
  ${hasNorm ? 'pair *= inverse_rms(at) * vec2f(norm_weight(h, i), norm_weight(h, i + P.half));' : ''}
  pair = turn(r, i, pair, 1.0);
  if (h < P.heads) {
    store_q((r * P.heads + h) * P.size + i, pair.x);
    store_q((r * P.heads + h) * P.size + i + P.half, pair.y);
  } else {
    store_kv(kv_at(r, h) + i, pair.x);
    store_kv(kv_at(r, h) + i + P.half, pair.y);
  }`,
  });
}

/** WGSL: the gradient of a pair before its rotation. */
const TURNED_BACK = /* wgsl */ `
fn turned_back(r: u32, h: u32, i: u32) -> vec2f {
  if (h < P.heads) {
    let source = (r * P.heads + h) * P.size + i;
    return turn(r, i, vec2f(load_dQ(source), load_dQ(source + P.half)), -1.0);
  }
  let source = kv_at(r, h) + i;
  return turn(r, i, vec2f(load_dKv(source), load_dKv(source + P.half)), -1.0);
}`;

/** dQkv = the transposed rotation of dQ and dK, then the norm's backward; dV as it is. */
export function rotaryBackward(recorder: Recorder, args: RotaryBackwardArgs): void {
  const hasNorm = args.qNorm !== undefined;
  const { numHeads, numKvHeads } = args.heads;
  const operands = { dQ: read(args.dQ), dKv: read(args.dKv), dQkv: write(args.dQkv) };
  if (args.dQNorm !== undefined || args.dKNorm !== undefined) recordNormGradients(recorder, args, operands);
  recordPairs(recorder, {
    label: 'rotaryBackward',
    args,
    operands,
    heads: numHeads + 2 * numKvHeads,
    helpers: TURNED_BACK,
    code: /* wgsl */ `
  if (h >= P.heads + P.kv_heads) {
    store_dQkv(at + i, load_dKv(kv_at(r, h) + i));
    store_dQkv(at + i + P.half, load_dKv(kv_at(r, h) + i + P.half));
    return;
  }
  var d = turned_back(r, h, i);
  ${
    hasNorm
      ? /* wgsl */ `
  var dot = 0.0;
  for (var j = 0u; j < P.half; j++) {
    let other = turned_back(r, h, j);
    dot = fma(other.x * norm_weight(h, j), load_qkv(at + j), dot);
    dot = fma(other.y * norm_weight(h, j + P.half), load_qkv(at + j + P.half), dot);
  }
  let rstd = inverse_rms(at);
  let slope = rstd * rstd * rstd * (dot / f32(P.size));
  d = rstd * d * vec2f(norm_weight(h, i), norm_weight(h, i + P.half)) - slope * vec2f(load_qkv(at + i), load_qkv(at + i + P.half));`
      : ''
  }
  store_dQkv(at + i, d.x);
  store_dQkv(at + i + P.half, d.y);`,
  });
}

/** dNorm += Σ dNormed·x·rstd over rows and their heads; the terms wait in dQkv. */
function recordNormGradients(
  recorder: Recorder,
  args: RotaryBackwardArgs,
  operands: Readonly<Record<string, Operand>>,
): void {
  const { numHeads, numKvHeads } = args.heads;
  recordPairs(recorder, {
    label: 'rotaryBackward norm terms',
    args,
    operands,
    heads: numHeads + numKvHeads,
    helpers: TURNED_BACK,
    code: /* wgsl */ `
  let terms = turned_back(r, h, i) * vec2f(load_qkv(at + i), load_qkv(at + i + P.half)) * inverse_rms(at);
  store_dQkv(at + i, terms.x);
  store_dQkv(at + i + P.half, terms.y);`,
  });
  if (args.dQNorm) recordHeadSums(recorder, args, args.dQNorm, 0, numHeads);
  if (args.dKNorm) recordHeadSums(recorder, args, args.dKNorm, numHeads, numKvHeads);
}

/** sums[i] += Σ_r Σ_h dQkv[r, h, i]; one thread per element of the head. */
function recordHeadSums(recorder: Recorder, args: RotaryBackwardArgs, sums: Slot, first: number, heads: number): void {
  const rows = recorder.rows(args.rows);
  const size = args.heads.headDim;
  recorder.dispatch({
    label: 'rotaryBackward norm sums',
    operands: { terms: read(args.dQkv), sums: write(sums) },
    counts: { begin: rows.begin, end: rows.end },
    scalars: { size, first, heads, row: size * (args.heads.numHeads + 2 * args.heads.numKvHeads) },
    code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= P.size) { return; }
  var sum = load_sums(id.x);
  for (var r = begin(); r < end(); r++) {
    for (var h = 0u; h < P.heads; h++) { sum += load_terms(r * P.row + (P.first + h) * P.size + id.x); }
  }
  store_sums(id.x, sum);
}`,
    workgroups: () => (rows.end.value > rows.begin.value ? [Math.ceil(size / 64), 1] : [0, 0]),
    work: () => (rows.end.value - rows.begin.value) * heads * size,
  });
}
