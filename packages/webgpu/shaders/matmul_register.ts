/**
 * Register-tiled products: 8×8 threads, each with 1 or 4 rows × 4 columns of the result, operands read from memory where
 * they are used. What caches make fast: software adapters, and small products. Order: matmul.ts.
 *
 * Cost: a thread loads rows + 4 vectors for rows·16 multiply-adds.
 */
import type { ProductVariant } from './matmul_parts.ts';
import { productEpilogue, productHelpers, SEGMENT, startOf, TN_HELPERS } from './matmul_parts.ts';

/** NT and NN. Workgroups: columns by 32 along x, rows by 8·tileRows along y. */
export function registerProduct(variant: ProductVariant, tileRows: 1 | 4): string {
  const rows = Array.from({ length: tileRows }, (_, i) => i);
  const each = (text: (i: number) => string): string => rows.map(text).join('\n  ');
  const chain = (i: number): string =>
    ['x', 'y', 'z', 'w'].map((part, k) => `acc${i} = fma(vec4f(a${i}.${part}), b${k}, acc${i});`).join(' ');
  return /* wgsl */ `
${productHelpers(variant)}
@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let end = end();
  let row = begin() + (group.y * 8u + local.y) * ${tileRows}u;
  let column = (group.x * 8u + local.x) * 4u;
  if (row >= end || column >= P.columns) { return; }
  ${each((i) => `let a_at${i} = a_row(min(row + ${i}u, end - 1u)); var total${i} = ${startOf(variant, `row + ${i}u`)};`)}
  for (var segment = 0u; segment < P.inner; segment += ${SEGMENT}u) {
    let last = min(segment + ${SEGMENT}u, P.inner);
    ${each((i) => `var acc${i} = vec4f(0.0);`)}
    for (var k = segment; k < last; k += 4u) {
      ${variant.form === 'NT' ? NT_COLUMNS : NN_COLUMNS}
      ${each((i) => `let a${i} = inner4(a_at${i}, k);`)}
      ${each(chain)}
    }
    ${each((i) => `total${i} += acc${i};`)}
  }
  ${each((i) => `finish(row + ${i}u, column, total${i});`)}
}
${productEpilogue(variant)}`;
}

/** Four columns of b, one per vector over k … */
const NT_COLUMNS = /* wgsl */ `
      let w0 = b_inner4(column, k); let w1 = b_inner4(column + 1u, k);
      let w2 = b_inner4(column + 2u, k); let w3 = b_inner4(column + 3u, k);
      let b0 = vec4f(w0.x, w1.x, w2.x, w3.x); let b1 = vec4f(w0.y, w1.y, w2.y, w3.y);
      let b2 = vec4f(w0.z, w1.z, w2.z, w3.z); let b3 = vec4f(w0.w, w1.w, w2.w, w3.w);`;

/** … or four rows of b, one per vector over columns. */
const NN_COLUMNS = /* wgsl */ `
      let b0 = b_column4(k, column); let b1 = b_column4(k + 1u, column);
      let b2 = b_column4(k + 2u, column); let b3 = b_column4(k + 3u, column);`;

/** TN. Workgroups: inner by 32 along x, columns by 32 along y. */
export function registerWeightGradient(vectors: boolean): string {
  const rows = [0, 1, 2, 3];
  const parts = ['x', 'y', 'z', 'w'];
  return /* wgsl */ `
${TN_HELPERS[vectors ? 'vectors' : 'scalars']}
@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let c = (group.y * 8u + local.y) * 4u;
  let d = (group.x * 8u + local.x) * 4u;
  if (c >= P.columns || d >= P.inner) { return; }
  ${rows.map((i) => `var acc${i} = out4(c + ${i}u, d);`).join('\n  ')}
  for (var r = begin(); r < end(); r++) {
    let a = a4(r, c);
    let b = b4(r, d);
    ${rows.map((i) => `acc${i} = fma(vec4f(a.${parts[i]}), b, acc${i});`).join('\n    ')}
  }
  ${rows.map((i) => `if (c + ${i}u < P.columns) { put4(c + ${i}u, d, acc${i}); }`).join('\n  ')}
}`;
}
