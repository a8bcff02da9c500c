// Matrix products on packed panels: the inner loop of everything.
//
// out[m, n] = Σ_k a[m, k]·b[k, n]. b is packed in panels of PANEL columns, K-major (panel p holds
// b[k, PANEL·p … PANEL·p + PANEL − 1] for k = 0 … K−1; missing columns are 0), so that the inner loop streams it with
// aligned loads. The left side is packed in strips of 6 rows, K-major, so that the loop broadcasts from one pointer
// with constant offsets. What happens in between is micro_kernel.ts.
// Order: each element is ONE chain of multiply-adds over k ascending, whatever the tile, so a row has the
// same bits alone and among thousands.
import { chains, PANEL, SHORT, STRIP, STRIP_BYTES } from './micro_kernel';
import { copyRow } from './rows';
import { LONGEST_TOGETHER, STRIPS_TOGETHER, TILE_BYTES } from './sizes';
import { scratch, strips } from './threads';

/** Bytes of a panel a step of k. */
export const PANEL_BYTES: usize = <usize>PANEL << 2;

// @ts-ignore: decorator
@inline
export function panels(columns: i32): i32 {
  return (columns + PANEL - 1) / PANEL;
}

/** Stores 8 columns, or the first `valid` of them where the matrix ends. */
// @ts-ignore: decorator
@inline
function store8(at: usize, low: v128, high: v128, valid: i32): void {
  if (valid >= 8) {
    v128.store(at, low);
    v128.store(at, high, 16);
    return;
  }
  if (valid > 0) store<f32>(at, f32x4.extract_lane(low, 0));
  if (valid > 1) store<f32>(at, f32x4.extract_lane(low, 1), 4);
  if (valid > 2) store<f32>(at, f32x4.extract_lane(low, 2), 8);
  if (valid > 3) store<f32>(at, f32x4.extract_lane(low, 3), 12);
  if (valid > 4) store<f32>(at, f32x4.extract_lane(high, 0), 16);
  if (valid > 5) store<f32>(at, f32x4.extract_lane(high, 1), 20);
  if (valid > 6) store<f32>(at, f32x4.extract_lane(high, 2), 24);
}

/** out = chain (+ bias) (+ residual) for 8 columns of a row; addresses, 0 where there is none. */
function finish(chain: usize, out: usize, bias: usize, residual: usize, valid: i32): void {
  let low = v128.load(chain);
  let high = v128.load(chain, 16);
  if (bias != 0) {
    low = f32x4.add(low, v128.load(bias));
    high = f32x4.add(high, v128.load(bias, 16));
  }
  if (residual != 0) {
    low = f32x4.add(low, v128.load(residual));
    high = f32x4.add(high, v128.load(residual, 16));
  }
  store8(out, low, high, valid);
}

/**
 * out[STRIP × PANEL] = stripᵀ·panel (+ bias) (+ residual), or with `goOn` the chains continue from the values already in `out`.
 * Where a matrix ends, or something is added, the chains go to the TILE_BYTES at `strips` first.
 * Only the first `validRows` rows and `validColumns` columns exist in `out`.
 */
export function tile(
  strip: usize, panel: usize, K: i32,
  out: usize, outStride: usize, bias: usize, residual: usize, validRows: i32, validColumns: i32, goOn: bool,
): void {
  const isShort = validRows <= SHORT;
  const isWhole = validColumns >= PANEL && (validRows >= STRIP || validRows == SHORT);
  if (isWhole && bias == 0 && residual == 0) {
    chains(strip, panel, K, out, outStride, goOn, isShort);
    return;
  }
  const rows = min(STRIP, validRows);
  if (goOn) {
    for (let r = 0; r < rows; r++) {
      copyRow(strips + <usize>r * PANEL_BYTES, out + <usize>r * outStride, <usize>min(PANEL, validColumns) << 2);
    }
  }
  chains(strip, panel, K, strips, PANEL_BYTES, goOn, isShort);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < min(PANEL, validColumns); c += 8) {
      const column = <usize>c << 2;
      const at = <usize>r * outStride + column;
      finish(
        strips + <usize>r * PANEL_BYTES + column, out + at,
        bias != 0 ? bias + column : 0, residual != 0 ? residual + at : 0, validColumns - c,
      );
    }
  }
}

/** Most strips that a panel meets before the next one; where K is long, those of a part of K stay in the second-level cache. */
const MOST_STRIPS: i32 = 24;
/** Length that a long K is cut into: a strip and a panel of it fit into the first-level cache together. */
const PART: i32 = 320;

/** How much of K is multiplied at a time: all of it, or equal parts where it is long. */
// @ts-ignore: decorator
@inline
function partOf(K: i32): i32 {
  if (K <= LONGEST_TOGETHER) return K;
  const parts = (K + PART - 1) / PART;
  return ((K + parts - 1) / parts + 3) & ~3;
}

/** Strips of `length` that a thread has room for. */
// @ts-ignore: decorator
@inline
function stripsOf(length: i32): i32 {
  return min(MOST_STRIPS, <i32>((scratch - strips - <usize>TILE_BYTES) / STRIP_BYTES) / length);
}

/** Rows of the next strip, of those that are left: the last ones are in short strips where that is less to compute, never in more strips. */
// @ts-ignore: decorator
@inline
export function stripRows(left: i32): i32 {
  return left <= SHORT || left == SHORT + SHORT || left == SHORT + SHORT - 1 ? SHORT : STRIP;
}

/** Rows of a block of work whose sums are not long: as many as fit into the second-level cache beside a panel. */
export const ROW_BLOCK: i32 = STRIPS_TOGETHER * STRIP;

/** Most rows that `multiply` packs at once. */
export function rowsAtOnce(K: i32): i32 {
  return stripsOf(partOf(K)) * STRIP;
}

/**
 * out[m, 8p…] for rows [rowBegin, rowEnd) and panels [panelBegin, panelEnd). Strides in bytes; `residual` has
 * the stride of `out`, and is not `out` where K is longer than LONGEST_TOGETHER.
 *
 * Parts of a long sum each add to what the last one left in `out`: the same additions in the same order.
 */
export function multiply(
  a: usize, aStride: usize, packed: usize, K: i32, N: i32,
  out: usize, outStride: usize, bias: usize, residual: usize,
  rowBegin: i32, rowEnd: i32, panelBegin: i32, panelEnd: i32,
): void {
  const part = partOf(K);
  const blockRows = stripsOf(part) * STRIP;
  for (let first = rowBegin; first < rowEnd; first += blockRows) {
    const last = min(first + blockRows, rowEnd);
    for (let k = 0; k < K; k += part) {
      const length = min(part, K - k);
      const isLast = k + length == K;
      const stripBytes = <usize>length * STRIP_BYTES;
      let strip = strips + TILE_BYTES;
      for (let m = first; m < last; m += stripRows(last - m), strip += stripBytes) {
        packRows(a + <usize>m * aStride + (<usize>k << 2), aStride, length, last - m, strip);
      }
      for (let p = panelBegin; p < panelEnd; p++) {
        const panel = packed + (<usize>p * <usize>K + <usize>k) * PANEL_BYTES;
        const column = <usize>p * PANEL_BYTES;
        strip = strips + TILE_BYTES;
        for (let m = first; m < last; strip += stripBytes) {
          const at = <usize>m * outStride + column;
          const rows = stripRows(last - m);
          tile(
            strip, panel, length, out + at, outStride,
            isLast && bias != 0 ? bias + column : 0, isLast && residual != 0 ? residual + at : 0,
            min(rows, last - m), N - p * PANEL, k > 0,
          );
          m += rows;
        }
      }
    }
  }
}

/** Packs 6 rows of K floats K-major; rows past `valid` repeat the first one and are never stored. */
export function packRows(a: usize, stride: usize, K: i32, valid: i32, strip: usize): void {
  const a1 = valid > 1 ? a + stride : a;
  const a2 = valid > 2 ? a1 + stride : a;
  const a3 = valid > 3 ? a2 + stride : a;
  const a4 = valid > 4 ? a3 + stride : a;
  const a5 = valid > 5 ? a4 + stride : a;
  const whole = K & ~3;
  let k = 0;
  let to = strip;
  for (; k < whole; k += 4) {
    const at = <usize>k << 2;
    const r0 = v128.load(a + at), r1 = v128.load(a1 + at), r2 = v128.load(a2 + at);
    const r3 = v128.load(a3 + at), r4 = v128.load(a4 + at), r5 = v128.load(a5 + at);
    const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
    const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
    const low45 = v128.shuffle<f32>(r4, r5, 0, 4, 1, 5);
    const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
    const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
    const high45 = v128.shuffle<f32>(r4, r5, 2, 6, 3, 7);
    v128.store(to, v128.shuffle<f64>(low01, low23, 0, 2));
    v128.store(to, v128.shuffle<f64>(low45, low01, 0, 3), 16);
    v128.store(to, v128.shuffle<f64>(low23, low45, 1, 3), 32);
    v128.store(to, v128.shuffle<f64>(high01, high23, 0, 2), 48);
    v128.store(to, v128.shuffle<f64>(high45, high01, 0, 3), 64);
    v128.store(to, v128.shuffle<f64>(high23, high45, 1, 3), 80);
    to += 4 * STRIP_BYTES;
  }
  for (; k < K; k++) {
    const at = <usize>k << 2;
    store<f32>(to, load<f32>(a + at));
    store<f32>(to, load<f32>(a1 + at), 4);
    store<f32>(to, load<f32>(a2 + at), 8);
    store<f32>(to, load<f32>(a3 + at), 12);
    store<f32>(to, load<f32>(a4 + at), 16);
    store<f32>(to, load<f32>(a5 + at), 20);
    to += STRIP_BYTES;
  }
}

/** Packs panel p of b[k, n] = source[k·rowStride + n·columnStride] (strides in bytes). */
export function packPanel(source: usize, rowStride: usize, columnStride: usize, K: i32, N: i32, p: i32, packed: usize): void {
  let at = packed + <usize>p * <usize>K * PANEL_BYTES;
  const first = p * PANEL;
  const valid = min(PANEL, N - first);
  const base = source + <usize>first * columnStride;
  if (columnStride == 4) {
    packColumns(base, rowStride, K, valid, at);
    return;
  }
  for (let k = 0; k < K; k++) {
    const row = base + <usize>k * rowStride;
    for (let j = 0; j < PANEL; j++) {
      const value: f32 = j < valid ? load<f32>(row + <usize>j * columnStride) : 0;
      store<f32>(at + (<usize>j << 2), value);
    }
    at += PANEL_BYTES;
  }
}

/** Packs a panel of K rows whose columns lie side by side; those past `valid` are 0. */
function packColumns(source: usize, rowStride: usize, K: i32, valid: i32, panel: usize): void {
  const end = panel + <usize>K * PANEL_BYTES;
  for (; panel < end; panel += PANEL_BYTES, source += rowStride) {
    if (valid == PANEL) {
      for (let j: usize = 0; j < PANEL_BYTES; j += 16) v128.store(panel + j, v128.load(source + j));
    } else {
      for (let j = 0; j < PANEL; j++) {
        store<f32>(panel + (<usize>j << 2), j < valid ? load<f32>(source + (<usize>j << 2)) : 0);
      }
    }
  }
}

/** Packs rows [0, K) of 6 columns from `first` on, zeros where the matrix ends: the left side of a weight gradient. */
export function packStrip(source: usize, rowStride: usize, K: i32, N: i32, first: i32, strip: usize): void {
  const valid = min(STRIP, N - first);
  let from = source + (<usize>first << 2);
  let to = strip;
  for (let k = 0; k < K; k++) {
    if (valid == STRIP) {
      v128.store(to, v128.load(from));
      store<u64>(to, load<u64>(from, 16), 16);
    } else {
      for (let j = 0; j < STRIP; j++) {
        store<f32>(to + (<usize>j << 2), j < valid ? load<f32>(from + (<usize>j << 2)) : 0);
      }
    }
    from += rowStride;
    to += STRIP_BYTES;
  }
}
