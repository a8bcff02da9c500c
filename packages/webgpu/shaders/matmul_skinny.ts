/**
 * Products of few rows, as in decoding: the segments of the inner size are computed side by side, each by one thread as
 * one chain, then added from left to right as everywhere. A workgroup computes 4 rows (or 8, or 16) × 32 columns with 8
 * (or 4, or 2) segments at once. Order: matmul.ts.
 *
 * Cost: a weight is read from memory once for 4 rows; 4 KiB of workgroup memory.
 */
import type { ProductVariant } from './matmul_parts.ts';
import { productEpilogue, productHelpers, SEGMENT, startOf } from './matmul_parts.ts';

/** Segments that a workgroup computes side by side. */
export type Lanes = 2 | 4 | 8;

/** As many as there are, up to 8; undefined for a single segment, where there is nothing to share out. */
export function skinnyLanes(inner: number): Lanes | undefined {
  const segments = Math.ceil(inner / SEGMENT);
  return segments > 4 ? 8 : segments > 2 ? 4 : segments > 1 ? 2 : undefined;
}

/** What one workgroup computes. */
export const skinnyTile = (lanes: Lanes) => ({ rows: 32 / lanes, columns: 32 });

/** Steps of four inner elements whose loads are under way at once. */
const AHEAD = 2;

const ROWS = [0, 1, 2, 3];
const PARTS = ['x', 'y', 'z', 'w'];

/** NT and NN. Workgroups: columns by 32 along x, rows by those of `skinnyTile` along y. */
export function skinnyProduct(variant: ProductVariant, lanes: Lanes): string {
  // Each lane folds some of its group's four rows: lanes beyond the fourth have none.
  const own = Array.from({ length: Math.max(1, 4 / lanes) }, (_, i) => i);
  const each = (text: (i: number) => string): string => ROWS.map(text).join('\n  ');
  const eachOwn = (text: (i: number) => string): string => own.map(text).join('\n  ');
  const loaded = (n: number): string => {
    const k = `(k + ${4 * n}u)`;
    const b =
      variant.form === 'NT'
        ? `transpose(mat4x4f(${ROWS.map((i) => `b_inner4(column + ${i}u, ${k})`).join(', ')}))`
        : `mat4x4f(${ROWS.map((i) => `b_column4(${k} + ${i}u, column)`).join(', ')})`;
    return [`let b_${n} = ${b};`, ...ROWS.map((i) => `let a${i}_${n} = inner4(a_at${i}, ${k});`)].join(' ');
  };
  const chained = (n: number): string =>
    ROWS.flatMap((i) =>
      PARTS.map((part, k) => `acc${i} = fma(vec4f(a${i}_${n}.${part}), b_${n}[${k}], acc${i});`),
    ).join(' ');
  const ahead = Array.from({ length: AHEAD }, (_, n) => n);
  return /* wgsl */ `
${productHelpers(variant)}
// [segment, group of rows, column, row]
var<workgroup> sums: array<vec4f, 256>;
@compute @workgroup_size(8, ${lanes}, ${8 / lanes})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let end = end();
  let row = begin() + group.y * ${skinnyTile(lanes).rows}u + local.z * 4u;
  let wanted = (group.x * 8u + local.x) * 4u;
  let column = min(wanted, ${variant.vectors ? 'P.columns - 4u' : 'P.columns - 1u'});
  let here = (local.z * 8u + local.x) * 4u;
  let own = local.y * ${own.length}u;
  ${each((i) => `let a_at${i} = a_row(min(row + ${i}u, end - 1u));`)}
  ${eachOwn((i) => `var total${i} = ${startOf(variant, `row + own + ${i}u`)};`)}
  for (var first = 0u; first < P.inner; first += ${lanes * SEGMENT}u) {
    let segment = first + local.y * ${SEGMENT}u;
    let last = min(segment + ${SEGMENT}u, P.inner);
    ${each((i) => `var acc${i} = vec4f(0.0);`)}
    var k = segment;
    for (; k + ${4 * AHEAD}u <= last; k += ${4 * AHEAD}u) {
      ${ahead.map(loaded).join('\n      ')}
      ${ahead.map(chained).join('\n      ')}
    }
    for (; k < last; k += 4u) { ${loaded(0)} ${chained(0)} }
    ${each((i) => `sums[local.y * ${256 / lanes}u + here + ${i}u] = acc${i};`)}
    workgroupBarrier();
    if (own < 4u) {
      let count = min(${lanes}u, (P.inner - first + ${SEGMENT - 1}u) / ${SEGMENT}u);
      for (var i = 0u; i < count; i++) {
        ${eachOwn((i) => `total${i} += sums[i * ${256 / lanes}u + here + own + ${i}u];`)}
      }
    }
    workgroupBarrier();
  }
  if (own < 4u) { ${eachOwn((i) => `finish(row + own + ${i}u, wanted, total${i});`)} }
}
${productEpilogue(variant)}`;
}
