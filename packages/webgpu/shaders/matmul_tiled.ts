/**
 * Products tiled through workgroup memory, for GPUs: a workgroup of side² threads computes a tile of 4·side rows ×
 * 4·side columns, 4×4 per thread. 32 inner elements of both operands at a time are staged as blocks of 4×4, each loaded
 * (and turned, where its neighbours in memory lie along the inner size) by one thread. Order: matmul.ts.
 *
 * Cost: an element of an operand is read from memory once a tile; a thread reads 2 vectors of workgroup memory for 16
 * multiply-adds. 8 KiB of workgroup memory with a side of 8, 16 KiB with 16.
 */
import type { ProductVariant } from './matmul_parts.ts';
import { productEpilogue, productHelpers, SEGMENT, startOf, TN_HELPERS } from './matmul_parts.ts';

/** Threads along one side of a workgroup. */
export type TileSide = 8 | 16;

/** Inner elements that are staged at once; a segment is a multiple of them. */
const DEPTH = 32;

const ROWS = [0, 1, 2, 3];

/** NT and NN. Workgroups: columns by 4·side along x, rows by 4·side along y. */
export function tiledProduct(variant: ProductVariant, side: TileSide): string {
  const each = (text: (i: number) => string): string => ROWS.map(text).join('\n  ');
  return /* wgsl */ `
${productHelpers(variant)}
${tiles(side)}
@compute @workgroup_size(${side}, ${side})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) t: u32) {
  let end = end();
  let first_row = begin() + group.y * ${4 * side}u;
  let first_column = group.x * ${4 * side}u;
  let row = first_row + local.y * 4u;
  let column = min(first_column + local.x * 4u, ${variant.vectors ? 'P.columns - 4u' : 'P.columns - 1u'});
  ${each((i) => `var total${i} = ${startOf(variant, `row + ${i}u`)}; var acc${i} = vec4f(0.0);`)}
  for (var k0 = 0u; k0 < P.inner; k0 += ${DEPTH}u) {
    for (var block = t; block < ${(2 * side * DEPTH) / 4}u; block += ${side * side}u) {
      let k = k0 + (block & 7u) * 4u;
      let quad = (block >> 3u) & ${side - 1}u;
      let place = (block & 7u) * ${4 * side}u + quad;
      if (k >= P.inner) { continue; }
      if (block < ${(side * DEPTH) / 4}u) {
        let r = first_row + quad * 4u;
        let x = mat4x4f(${ROWS.map((i) => `inner4(a_row(min(r + ${i}u, end - 1u)), k)`).join(', ')});
        ${storeBlock('tile_a', 'transpose(x)', side)}
      } else {
        let c = min(first_column + quad * 4u, ${variant.vectors ? 'P.columns - 4u' : 'P.columns - 1u'});
        ${
          variant.form === 'NT'
            ? `let x = transpose(mat4x4f(${ROWS.map((i) => `b_inner4(c + ${i}u, k)`).join(', ')}));`
            : `let x = mat4x4f(${ROWS.map((i) => `b_column4(k + ${i}u, c)`).join(', ')});`
        }
        ${storeBlock('tile_b', 'x', side)}
      }
    }
    workgroupBarrier();
    ${multiply(side, `min(${DEPTH}u, (P.inner - k0 + 3u) & ~3u)`)}
    if ((k0 & ${SEGMENT - 1}u) == ${SEGMENT - DEPTH}u || k0 + ${DEPTH}u >= P.inner) {
      ${each((i) => `total${i} += acc${i}; acc${i} = vec4f(0.0);`)}
    }
    workgroupBarrier();
  }
  ${each((i) => `finish(row + ${i}u, first_column + local.x * 4u, total${i});`)}
}
${productEpilogue(variant)}`;
}

/** TN: staged are 32 rows of both operands. Workgroups: inner by 4·side along x, columns by 4·side along y. */
export function tiledWeightGradient(vectors: boolean, side: TileSide): string {
  const each = (text: (i: number) => string): string => ROWS.map(text).join('\n  ');
  const within = (size: string): string => (vectors ? `P.${size} - 4u` : `P.${size} - 1u`);
  return /* wgsl */ `
${TN_HELPERS[vectors ? 'vectors' : 'scalars']}
${tiles(side)}
@compute @workgroup_size(${side}, ${side})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) t: u32) {
  let end = end();
  let first_c = group.y * ${4 * side}u;
  let first_d = group.x * ${4 * side}u;
  let c = first_c + local.y * 4u;
  let d = first_d + local.x * 4u;
  ${each((i) => `var acc${i} = out4(min(c + ${i}u, P.columns - 1u), min(d, ${within('inner')}));`)}
  for (var r0 = begin(); r0 < end; r0 += ${DEPTH}u) {
    for (var place = t; place < ${side * DEPTH}u; place += ${side * side}u) {
      let r = r0 + place / ${side}u;
      let quad = (place & ${side - 1}u) * 4u;
      if (r >= end) { continue; }
      tile_a[place] = a4(r, min(first_c + quad, ${within('columns')}));
      tile_b[place] = b4(r, min(first_d + quad, ${within('inner')}));
    }
    workgroupBarrier();
    ${multiply(side, `min(${DEPTH}u, end - r0)`)}
    workgroupBarrier();
  }
  ${each((i) => `if (c + ${i}u < P.columns && d < P.inner) { put4(c + ${i}u, d, acc${i}); }`)}
}`;
}

/** Element k of four neighbouring rows of a (columns of b) at [k·side + place]. */
function tiles(side: TileSide): string {
  return ['a', 'b'].map((name) => `var<workgroup> tile_${name}: array<vec4f, ${side * DEPTH}>;`).join('\n');
}

function storeBlock(tile: string, value: string, side: TileSide): string {
  const stores = ROWS.map((i) => `${tile}[place + ${i * side}u] = turned[${i}];`).join(' ');
  return `let turned = ${value}; ${stores}`;
}

/** acc += the staged elements below `count`, in order. */
function multiply(side: TileSide, count: string): string {
  return /* wgsl */ `
    let count = ${count};
    for (var k = 0u; k < count; k++) {
      let a = tile_a[k * ${side}u + local.y];
      let b = tile_b[k * ${side}u + local.x];
      ${['x', 'y', 'z', 'w'].map((part, i) => `acc${i} = fma(vec4f(a.${part}), b, acc${i});`).join('\n      ')}
    }`;
}
