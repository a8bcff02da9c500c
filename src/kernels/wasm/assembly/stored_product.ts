// Products with a matrix that is stored (stored.ts) instead of packed: a panel is widened into the thread's own memory, used for
// as many rows as fit beside it, and forgotten. Each value is widened once for STORED_STRIPS strips of rows.
//
// The one stored copy serves both directions: its rows are columns of the right side in x·Wᵀ, and rows of it in dOut·W.
// Long sums are cut into lengths of STORED_LENGTH, each of which adds to what the last one left in `out`: the same
// additions in the same order.
import { packRows, PANEL_BYTES, stripRows, tile } from './matmul';
import { PANEL, STRIP, STRIP_BYTES } from './micro_kernel';
import { STORED_BY_INPUT, STORED_COLUMNS, STORED_LENGTH, STORED_STRIPS, TILE_BYTES, WIDE_PANEL } from './sizes';
import { storedRowBytes, widen } from './stored';
import { strips } from './threads';
import { transposeColumns } from './transpose';

/** Rows for which a panel is widened once: blocks of work begin at its multiples. */
export const STORED_ROWS: i32 = STORED_STRIPS * STRIP;

/** Where in a thread's memory the strips end and the panel begins, and then the rows that are to become columns of it. */
const PANEL_AT: usize = <usize>TILE_BYTES + <usize>(STORED_STRIPS * STORED_LENGTH) * STRIP_BYTES;
const ROWS_AT: usize = PANEL_AT + (<usize>(STORED_LENGTH * WIDE_PANEL) << 2);

/**
 * out[m, n] = Σ_k a[m, k]·b[k, n] (+ bias) (+ residual) for rows [rowBegin, rowEnd) and panels [panelBegin, panelEnd) of
 * columns, where b is `stored` or its transpose, as `form` says. `residual` is not `out` where K is longer than
 * STORED_LENGTH. `width`: columns that `out` has.
 */
export function multiplyStored(
  a: usize, aStride: usize, stored: usize, form: i32, K: i32, N: i32, width: i32,
  out: usize, outStride: usize, bias: usize, residual: usize,
  rowBegin: i32, rowEnd: i32, panelBegin: i32, panelEnd: i32,
): void {
  const panel = strips + PANEL_AT;
  for (let first = rowBegin; first < rowEnd; first += STORED_ROWS) {
    const last = min(first + STORED_ROWS, rowEnd);
    for (let k = 0; k < K; k += STORED_LENGTH) {
      const length = min(STORED_LENGTH, K - k);
      const isLast = k + length == K;
      const stripBytes = <usize>length * STRIP_BYTES;
      let strip = strips + TILE_BYTES;
      for (let m = first; m < last; m += stripRows(last - m), strip += stripBytes) {
        packRows(a + <usize>m * aStride + (<usize>k << 2), aStride, length, last - m, strip);
      }
      for (let p = panelBegin; p < panelEnd; p++) {
        const column = <usize>p * PANEL_BYTES;
        widenPanel(stored, form, K, N, p, k, length, panel);
        strip = strips + TILE_BYTES;
        for (let m = first; m < last; strip += stripBytes) {
          const at = <usize>m * outStride + column;
          const rows = stripRows(last - m);
          tile(
            strip, panel, length, out + at, outStride,
            isLast && bias != 0 ? bias + column : 0, isLast && residual != 0 ? residual + at : 0,
            min(rows, last - m), width - p * PANEL, k > 0,
          );
          m += rows;
        }
      }
    }
  }
}

/** Rows [k, k + length) of panel p of b[K, N], zeros where it has no such columns. */
function widenPanel(stored: usize, form: i32, K: i32, N: i32, p: i32, k: i32, length: i32, panel: usize): void {
  const first = p * PANEL;
  const valid = min(PANEL, N - first);
  if (valid < PANEL) memory.fill(panel, 0, <usize>length * PANEL_BYTES);
  if (form & STORED_BY_INPUT) {
    const type = form - STORED_BY_INPUT;
    const rowBytes = storedRowBytes(type, N);
    let row = stored + <usize>k * rowBytes;
    for (let i = 0; i < length; i++, row += rowBytes, panel += PANEL_BYTES) widen(type, row, first, valid, panel);
    return;
  }
  const rowBytes = storedRowBytes(form, K);
  const rows = strips + ROWS_AT;
  const bytes = <usize>length << 2;
  let row = stored + <usize>first * rowBytes;
  for (let j = 0; j < valid; j += STORED_COLUMNS, row += <usize>STORED_COLUMNS * rowBytes, panel += <usize>STORED_COLUMNS << 2) {
    const last = min(STORED_COLUMNS, valid - j);
    for (let i = 0; i < STORED_COLUMNS; i++) {
      if (i < last) widen(form, row + <usize>i * rowBytes, k, length, rows + <usize>i * bytes);
      else memory.fill(rows + <usize>i * bytes, 0, bytes);
    }
    transposeColumns(rows, rows + bytes, rows + 2 * bytes, rows + 3 * bytes, length, panel, PANEL_BYTES);
  }
}
