/** What every variant of the matrix products shares: the shape of its text, loads, and the end of a product. */

/** Inner elements of one chain. A cut through a weight must fall on a multiple of it. */
export const SEGMENT = 128;

/** What a product's text depends on, besides how it is tiled. */
export interface ProductVariant {
  readonly form: 'NT' | 'NN';
  /** Operands are bound as vectors of four: starts and widths are multiples of 4. */
  readonly vectors: boolean;
  readonly accumulate: boolean;
  readonly hasBias: boolean;
  readonly residual: 'none' | 'out' | 'residual';
}

/**
 * WGSL: inner4(a_row(r), k), b_inner4(column, k) and b_column4(k, column), four neighbours each; out4 where it is read.
 * A row that is read must exist; k and columns must begin before the end.
 */
export function productHelpers({ vectors, accumulate, residual }: ProductVariant): string {
  return [
    A_ROW,
    vectors ? VECTOR_LOADS : SCALAR_LOADS,
    accumulate || residual === 'out' ? columnLoad('out4', 'out', vectors, true) : '',
  ].join('\n');
}

/** WGSL: what the sum of a row begins with, at `column`. */
export function startOf({ accumulate }: ProductVariant, row: string): string {
  return accumulate ? `out4((min(${row}, end - 1u) - P.out_shift * begin()) * P.out_stride, column)` : 'vec4f(0.0)';
}

/** WGSL: finish(row, column, total) adds bias and residual, and stores four columns, of those that exist. */
export function productEpilogue({ vectors, hasBias, residual }: ProductVariant): string {
  return /* wgsl */ `
fn finish(row: u32, column: u32, total: vec4f) {
  if (row >= end() || column >= P.columns) { return; }
  let at = (row - P.out_shift * begin()) * P.out_stride;
  var result = total;
  ${hasBias ? 'result += bias4(column);' : ''}
  ${residual === 'out' ? 'result += out4(at, column);' : residual === 'residual' ? 'result += residual4(at, column);' : ''}
  put4(at, column, result);
}
${hasBias ? columnLoad('bias4', 'bias', vectors, false) : ''}
${residual === 'residual' ? columnLoad('residual4', 'residual', vectors, true) : ''}`;
}

const A_ROW = 'fn a_row(r: u32) -> u32 { return (r - P.a_shift * begin()) * P.a_stride; }';

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

/** WGSL: four neighbours of a row, of those that exist. */
function columnLoad(name: string, operand: string, vectors: boolean, hasRows: boolean): string {
  const parameters = hasRows ? 'at: u32, c: u32' : 'c: u32';
  const at = hasRows ? 'at + ' : '';
  if (vectors) return `fn ${name}(${parameters}) -> vec4f { return load4_${operand}(${at}c); }`;
  const loads = [0, 1, 2, 3].map((i) => `load_${operand}(${at}min(c + ${i}u, P.columns - 1u))`);
  return `fn ${name}(${parameters}) -> vec4f { return vec4f(${loads.join(', ')}); }`;
}

/** WGSL: a4(r, c), b4(r, d), and the result's out4(c, d) and put4(c, d, value); four neighbours along the last. */
export const TN_HELPERS = {
  vectors: /* wgsl */ `
fn a4(r: u32, c: u32) -> vec4f { return load4_a((r - P.a_shift * begin()) * P.a_stride + c); }
fn b4(r: u32, d: u32) -> vec4f { return load4_b(r * P.b_stride + d); }
fn out4(c: u32, d: u32) -> vec4f { return load4_out(c * P.inner + d); }
fn put4(c: u32, d: u32, value: vec4f) { store4_out(c * P.inner + d, value); }`,
  scalars: /* wgsl */ `
fn within4(c: u32, size: u32) -> vec4u { return min(vec4u(c, c + 1u, c + 2u, c + 3u), vec4u(size - 1u)); }
fn a4(r: u32, c: u32) -> vec4f {
  let i = (r - P.a_shift * begin()) * P.a_stride + within4(c, P.columns);
  return vec4f(load_a(i.x), load_a(i.y), load_a(i.z), load_a(i.w));
}
fn b4(r: u32, d: u32) -> vec4f {
  let i = r * P.b_stride + within4(d, P.inner);
  return vec4f(load_b(i.x), load_b(i.y), load_b(i.z), load_b(i.w));
}
fn out4(c: u32, d: u32) -> vec4f {
  let i = min(c, P.columns - 1u) * P.inner + within4(d, P.inner);
  return vec4f(load_out(i.x), load_out(i.y), load_out(i.z), load_out(i.w));
}
fn put4(c: u32, d: u32, value: vec4f) {
  for (var i = 0u; i < min(4u, P.inner - d); i++) { store_out(c * P.inner + d + i, value[i]); }
}`,
};
