/**
 * Matrix products, register-tiled: 8×8 threads, each with RM rows × 4 columns of the result in registers.
 *
 *   NT  out[r, c] = Σ_k a[r, k]·b[c, k]      a layer, and logits; b is a weight [columns, inner]
 *   NN  out[r, c] = Σ_k a[r, k]·b[k, c]      gradient of the input; b is a weight [inner, columns]
 *   TN  out[c, d] += Σ_r a[r, c]·b[r, d]     gradient of a weight
 *
 * Order. In NT and NN the inner size is cut into segments of 128; each is one chain of fused multiply-adds, k
 * ascending, and the segments are added from left to right. In TN the rows are one chain that continues what `out`
 * holds. Neither depends on the number of rows, so a row has the same bits alone as among thousands, and a batch cut
 * at row borders gives the same weight gradient.
 *
 * Cost: rows·columns·inner multiply-adds; a thread loads RM + 4 vectors for RM·16 of them.
 */
import type { Slot } from '../memory.ts';
import type { CountEntry } from './counts.ts';
import type { Recorder } from './recorder.ts';
import { read, startsOnVectors, write } from './recorder.ts';

/** Inner elements of one chain. A cut through a weight must fall on a multiple of it. */
export const SEGMENT = 128;

/** Rows from which the tile of 4 rows a thread pays. */
const FULL_TILE_ROWS = 8;

export interface ProductRequest {
  readonly label: string;
  readonly form: 'NT' | 'NN';
  readonly a: Slot;
  readonly b: Slot;
  readonly out: Slot;
  readonly bias?: Slot | undefined;
  /** Added last. May be `out` itself. */
  readonly residual?: Slot | undefined;
  /** out = out + a·b, continuing the chain of segments. */
  readonly accumulate?: boolean;
  readonly inner: number;
  readonly columns: number;
  /** Elements from one row to the next; by default `inner` and `columns`. */
  readonly aStride?: number;
  readonly outStride?: number;
  readonly rows: { readonly begin: CountEntry; readonly end: CountEntry };
  /** Row `begin` lies at the start of the slot, not at its row `begin`. */
  readonly aIsChunk?: boolean;
  readonly outIsChunk?: boolean;
}

/** Records a product in the NT or NN form: one dispatch for few rows, another for many, of which a replay runs one. */
export function recordProduct(recorder: Recorder, request: ProductRequest): void {
  const { label, form, a, b, out, bias, residual, inner, columns, rows, accumulate = false } = request;
  const aStride = request.aStride ?? inner;
  const outStride = request.outStride ?? columns;
  const vectors = startsOnVectors([a, b, out, bias, residual], [inner, columns, aStride, outStride]);
  const inPlace = residual !== undefined && residual.arena === out.arena && residual.offset === out.offset;
  const rowCount = (): number => Math.max(0, rows.end.value - rows.begin.value);
  for (const tileRows of [1, 4] as const) {
    const isUsed = (): boolean => rowCount() > FULL_TILE_ROWS === (tileRows === 4);
    recorder.dispatch({
      label: `${label} ${form}`,
      operands: {
        a: read(a),
        b: read(b),
        out: write(out),
        bias: bias && read(bias),
        residual: residual && !inPlace ? read(residual) : undefined,
      },
      counts: { begin: rows.begin, end: rows.end },
      scalars: {
        inner,
        columns,
        a_stride: aStride,
        out_stride: outStride,
        a_shift: request.aIsChunk ? 1 : 0,
        out_shift: request.outIsChunk ? 1 : 0,
      },
      vectors,
      code: productCode({
        form,
        vectors,
        tileRows,
        accumulate,
        hasBias: bias !== undefined,
        residual: residual === undefined ? 'none' : inPlace ? 'out' : 'residual',
      }),
      workgroups: () => (isUsed() ? [Math.ceil(columns / 32), Math.ceil(rowCount() / (8 * tileRows))] : [0, 0]),
      work: () => rowCount() * columns * inner,
    });
  }
}

interface ProductVariant {
  readonly form: 'NT' | 'NN';
  readonly vectors: boolean;
  readonly tileRows: 1 | 4;
  readonly accumulate: boolean;
  readonly hasBias: boolean;
  readonly residual: 'none' | 'out' | 'residual';
}

function productCode({ form, vectors, tileRows, accumulate, hasBias, residual }: ProductVariant): string {
  const rows = Array.from({ length: tileRows }, (_, i) => i);
  const each = (text: (i: number) => string): string => rows.map(text).join('\n');
  const chain = (i: number): string =>
    ['x', 'y', 'z', 'w'].map((part, k) => `acc${i} = fma(vec4f(a${i}.${part}), b${k}, acc${i});`).join(' ');
  const start = (i: number): string =>
    accumulate ? `out4((min(row + ${i}u, end - 1u) - out_row0) * P.out_stride, column)` : 'vec4f(0.0)';
  return /* wgsl */ `
${vectors ? VECTOR_LOADS : SCALAR_LOADS}
${accumulate || residual === 'out' ? LOAD_OUT[vectors ? 'vectors' : 'scalars'] : ''}
@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let end = end();
  let row = begin() + (group.y * 8u + local.y) * ${tileRows}u;
  let column = (group.x * 8u + local.x) * 4u;
  if (row >= end || column >= P.columns) { return; }
  let a_row0 = P.a_shift * begin();
  let out_row0 = P.out_shift * begin();
  ${each((i) => `let a_at${i} = (min(row + ${i}u, end - 1u) - a_row0) * P.a_stride; var total${i} = ${start(i)};`)}
  for (var segment = 0u; segment < P.inner; segment += ${SEGMENT}u) {
    let last = min(segment + ${SEGMENT}u, P.inner);
    ${each((i) => `var acc${i} = vec4f(0.0);`)}
    for (var k = segment; k < last; k += 4u) {
      ${form === 'NT' ? NT_COLUMNS : NN_COLUMNS}
      ${each((i) => `let a${i} = inner4(a_at${i}, k);`)}
      ${each(chain)}
    }
    ${each((i) => `total${i} += acc${i};`)}
  }
  ${each(
    (i) => `if (row + ${i}u < end) {
    let at = (row + ${i}u - out_row0) * P.out_stride;
    var result = total${i};
    ${hasBias ? 'result += bias4(column);' : ''}
    ${residual === 'out' ? 'result += out4(at, column);' : residual === 'residual' ? 'result += residual4(at, column);' : ''}
    put4(at, column, result);
  }`,
  )}
}
${hasBias ? columnLoad('bias4', 'bias', vectors, false) : ''}
${residual === 'residual' ? columnLoad('residual4', 'residual', vectors, true) : ''}`;
}

/** Four columns of b, one a vector over k … */
const NT_COLUMNS = /* wgsl */ `
      let w0 = b_inner4(column, k); let w1 = b_inner4(column + 1u, k);
      let w2 = b_inner4(column + 2u, k); let w3 = b_inner4(column + 3u, k);
      let b0 = vec4f(w0.x, w1.x, w2.x, w3.x); let b1 = vec4f(w0.y, w1.y, w2.y, w3.y);
      let b2 = vec4f(w0.z, w1.z, w2.z, w3.z); let b3 = vec4f(w0.w, w1.w, w2.w, w3.w);`;

/** … or four rows of b, one a vector over columns. */
const NN_COLUMNS = /* wgsl */ `
      let b0 = b_column4(k, column); let b1 = b_column4(k + 1u, column);
      let b2 = b_column4(k + 2u, column); let b3 = b_column4(k + 3u, column);`;

const VECTOR_LOADS = /* wgsl */ `
fn inner4(at: u32, k: u32) -> vec4f { return load4_a(at + k); }
fn b_inner4(c: u32, k: u32) -> vec4f { return load4_b(c * P.inner + k); }
fn b_column4(k: u32, c: u32) -> vec4f { return load4_b(k * P.columns + c); }
fn put4(at: u32, c: u32, value: vec4f) { store4_out(at + c, value); }`;

/** What lies past the end of a row is 0 in `a`, and some element of the matrix in `b`. */
const SCALAR_LOADS = /* wgsl */ `
fn inner4(at: u32, k: u32) -> vec4f {
  let last = P.inner - 1u;
  let value = vec4f(load_a(at + k), load_a(at + min(k + 1u, last)), load_a(at + min(k + 2u, last)), load_a(at + min(k + 3u, last)));
  return select(vec4f(0.0), value, vec4u(k, k + 1u, k + 2u, k + 3u) <= vec4u(last));
}
fn b_inner4(column: u32, k: u32) -> vec4f {
  let last = P.inner - 1u;
  let at = min(column, P.columns - 1u) * P.inner;
  return vec4f(load_b(at + k), load_b(at + min(k + 1u, last)), load_b(at + min(k + 2u, last)), load_b(at + min(k + 3u, last)));
}
fn b_column4(k: u32, c: u32) -> vec4f {
  let last = P.columns - 1u;
  let at = min(k, P.inner - 1u) * P.columns;
  return vec4f(load_b(at + c), load_b(at + min(c + 1u, last)), load_b(at + min(c + 2u, last)), load_b(at + min(c + 3u, last)));
}
fn put4(at: u32, c: u32, value: vec4f) {
  for (var i = 0u; i < min(4u, P.columns - c); i++) { store_out(at + c + i, value[i]); }
}`;

const LOAD_OUT = {
  vectors: 'fn out4(at: u32, c: u32) -> vec4f { return load4_out(at + c); }',
  scalars: columnLoad('out4', 'out', false, true),
};

/** WGSL: four neighbours of a row, of those that exist. */
function columnLoad(name: string, operand: string, vectors: boolean, hasRows: boolean): string {
  const parameters = hasRows ? 'at: u32, c: u32' : 'c: u32';
  const at = hasRows ? 'at + ' : '';
  if (vectors) return `fn ${name}(${parameters}) -> vec4f { return load4_${operand}(${at}c); }`;
  const loads = [0, 1, 2, 3].map((i) => `load_${operand}(${at}min(c + ${i}u, P.columns - 1u))`);
  return `fn ${name}(${parameters}) -> vec4f { return vec4f(${loads.join(', ')}); }`;
}

export interface WeightGradientRequest {
  readonly label: string;
  /** [rows, columns]: the gradient of the layer's output */
  readonly a: Slot;
  /** [rows, inner]: the layer's input */
  readonly b: Slot;
  /** [columns, inner], += */
  readonly out: Slot;
  readonly columns: number;
  readonly inner: number;
  readonly aStride?: number;
  readonly rows: { readonly begin: CountEntry; readonly end: CountEntry };
  readonly aIsChunk?: boolean;
}

/** Records a product in the TN form. */
export function recordWeightGradient(recorder: Recorder, request: WeightGradientRequest): void {
  const { label, a, b, out, columns, inner, rows } = request;
  const aStride = request.aStride ?? columns;
  const vectors = startsOnVectors([a, b, out], [columns, inner, aStride]);
  const rowCount = (): number => Math.max(0, rows.end.value - rows.begin.value);
  recorder.dispatch({
    label: `${label} TN`,
    operands: { a: read(a), b: read(b), out: write(out) },
    counts: { begin: rows.begin, end: rows.end },
    scalars: { columns, inner, a_stride: aStride, a_shift: request.aIsChunk ? 1 : 0 },
    vectors,
    code: weightGradientCode(vectors),
    workgroups: () => (rowCount() === 0 ? [0, 0] : [Math.ceil(inner / 32), Math.ceil(columns / 32)]),
    work: () => rowCount() * columns * inner,
  });
}

function weightGradientCode(vectors: boolean): string {
  const rows = [0, 1, 2, 3];
  const parts = ['x', 'y', 'z', 'w'];
  const accesses = vectors ? TN_VECTORS : TN_SCALARS;
  return /* wgsl */ `
${accesses}
@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let c = (group.y * 8u + local.y) * 4u;
  let d = (group.x * 8u + local.x) * 4u;
  if (c >= P.columns || d >= P.inner) { return; }
  let a_row0 = P.a_shift * begin();
  ${rows.map((i) => `var acc${i} = out4(c + ${i}u, d);`).join('\n  ')}
  for (var r = begin(); r < end(); r++) {
    let a = a4((r - a_row0) * P.a_stride, c);
    let b = b4(r * P.inner, d);
    ${rows.map((i) => `acc${i} = fma(vec4f(a.${parts[i]}), b, acc${i});`).join('\n    ')}
  }
  ${rows.map((i) => `if (c + ${i}u < P.columns) { put4(c + ${i}u, d, acc${i}); }`).join('\n  ')}
}`;
}

const TN_VECTORS = /* wgsl */ `
fn a4(at: u32, c: u32) -> vec4f { return load4_a(at + c); }
fn b4(at: u32, d: u32) -> vec4f { return load4_b(at + d); }
fn out4(c: u32, d: u32) -> vec4f { return load4_out(c * P.inner + d); }
fn put4(c: u32, d: u32, value: vec4f) { store4_out(c * P.inner + d, value); }`;

const TN_SCALARS = /* wgsl */ `
fn within4(c: u32, size: u32) -> vec4u { return min(vec4u(c, c + 1u, c + 2u, c + 3u), vec4u(size - 1u)); }
fn a4(at: u32, c: u32) -> vec4f {
  let i = at + within4(c, P.columns);
  return vec4f(load_a(i.x), load_a(i.y), load_a(i.z), load_a(i.w));
}
fn b4(at: u32, d: u32) -> vec4f {
  let i = at + within4(d, P.inner);
  return vec4f(load_b(i.x), load_b(i.y), load_b(i.z), load_b(i.w));
}
fn out4(c: u32, d: u32) -> vec4f {
  let i = min(c, P.columns - 1u) * P.inner + within4(d, P.inner);
  return vec4f(load_out(i.x), load_out(i.y), load_out(i.z), load_out(i.w));
}
fn put4(c: u32, d: u32, value: vec4f) {
  for (var i = 0u; i < min(4u, P.inner - d); i++) { store_out(c * P.inner + d + i, value[i]); }
}`;
