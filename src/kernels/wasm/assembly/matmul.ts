// Matrix products on packed panels: the inner loop of everything.
//
// out[m, n] = Σ_k a[m, k]·b[k, n]. b is packed in panels of 8 columns, K-major (panel p holds b[k, 8p … 8p+7]
// for k = 0 … K−1; missing columns are 0), so that the inner loop streams it with two aligned loads a step.
// Micro-kernel: 4 rows × 8 columns, 8 accumulators, 2 panel registers, 1 broadcast: 11 of 16 registers.
// Order: each element is ONE chain of multiply-adds over k ascending, whatever the tile, so a row has the
// same bits alone and among thousands.
import { fma } from './simd';
import { strips } from './threads';

/** Columns of a panel, and its bytes a step of k. */
export const PANEL: i32 = 8;
const PANEL_BYTES: usize = 32;

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

/** out = chain (+ bias) (+ residual); addresses of one row and panel, 0 where there is none. */
// @ts-ignore: decorator
@inline
function finish(out: usize, low: v128, high: v128, bias: usize, residual: usize, valid: i32): void {
  let l = low;
  let h = high;
  if (bias != 0) {
    l = f32x4.add(l, v128.load(bias));
    h = f32x4.add(h, v128.load(bias, 16));
  }
  if (residual != 0) {
    l = f32x4.add(l, v128.load(residual));
    h = f32x4.add(h, v128.load(residual, 16));
  }
  store8(out, l, h, valid);
}

/** out[4 × 8] = stripᵀ·panel (+ bias) (+ residual); `validRows` of the strip's 4 rows are stored. */
function micro(
  strip: usize, panel: usize, K: i32,
  out: usize, outStride: usize, bias: usize, residual: usize, validRows: i32, validColumns: i32,
): void {
  let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  const end = strip + (<usize>K << 4);
  let x: v128;
  while (strip < end) {
    const b0 = v128.load(panel);
    const b1 = v128.load(panel, 16);
    x = v128.load32_splat(strip);
    c00 = fma(x, b0, c00);
    c01 = fma(x, b1, c01);
    x = v128.load32_splat(strip, 4);
    c10 = fma(x, b0, c10);
    c11 = fma(x, b1, c11);
    x = v128.load32_splat(strip, 8);
    c20 = fma(x, b0, c20);
    c21 = fma(x, b1, c21);
    x = v128.load32_splat(strip, 12);
    c30 = fma(x, b0, c30);
    c31 = fma(x, b1, c31);
    strip += 16;
    panel += PANEL_BYTES;
  }
  const r = residual != 0 ? outStride : 0;
  finish(out, c00, c01, bias, residual, validColumns);
  if (validRows > 1) finish(out + outStride, c10, c11, bias, residual + r, validColumns);
  if (validRows > 2) finish(out + outStride * 2, c20, c21, bias, residual + r * 2, validColumns);
  if (validRows > 3) finish(out + outStride * 3, c30, c31, bias, residual + r * 3, validColumns);
}

/** Strips that are packed side by side before the panels stream past: 16 rows, or 4 where K is long. */
// @ts-ignore: decorator
@inline
function stripsAtOnce(K: i32): i32 {
  return K <= 4096 ? 4 : 1;
}

/**
 * out[m, 8p…] for rows [rowBegin, rowEnd) and panels [panelBegin, panelEnd). Strides in bytes; `residual` has
 * the stride of `out`. Rows of `a` are packed in strips of 4, K-major, so that the inner loop broadcasts from one
 * pointer with constant offsets (a quarter faster than four row pointers).
 */
export function multiply(
  a: usize, aStride: usize, packed: usize, K: i32, N: i32,
  out: usize, outStride: usize, bias: usize, residual: usize,
  rowBegin: i32, rowEnd: i32, panelBegin: i32, panelEnd: i32,
): void {
  const blockRows = stripsAtOnce(K) * 4;
  const stripBytes = <usize>K << 4;
  for (let first = rowBegin; first < rowEnd; first += blockRows) {
    const rows = min(blockRows, rowEnd - first);
    const block = a + <usize>first * aStride;
    for (let m = 0; m < rows; m += 4) {
      packRows(block + <usize>m * aStride, aStride, K, min(4, rows - m), strips + <usize>(m >> 2) * stripBytes);
    }
    for (let p = panelBegin; p < panelEnd; p++) {
      const panel = packed + <usize>p * <usize>K * PANEL_BYTES;
      const column = <usize>p * PANEL_BYTES;
      for (let m = 0; m < rows; m += 4) {
        const at = <usize>(first + m) * outStride + column;
        micro(
          strips + <usize>(m >> 2) * stripBytes, panel, K, out + at, outStride,
          bias != 0 ? bias + column : 0, residual != 0 ? residual + at : 0, min(4, rows - m), N - p * PANEL,
        );
      }
    }
  }
}

/** Packs 4 rows of K floats K-major; rows past `valid` repeat the last one and are never stored. */
function packRows(a: usize, stride: usize, K: i32, valid: i32, strip: usize): void {
  const a1 = valid > 1 ? a + stride : a;
  const a2 = valid > 2 ? a + stride * 2 : a;
  const a3 = valid > 3 ? a + stride * 3 : a;
  const whole = K & ~3;
  let k = 0;
  for (; k < whole; k += 4) {
    const at = <usize>k << 2;
    const r0 = v128.load(a + at), r1 = v128.load(a1 + at), r2 = v128.load(a2 + at), r3 = v128.load(a3 + at);
    const low01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
    const low23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
    const high01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
    const high23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
    const to = strip + (<usize>k << 4);
    v128.store(to, v128.shuffle<f64>(low01, low23, 0, 2));
    v128.store(to, v128.shuffle<f64>(low01, low23, 1, 3), 16);
    v128.store(to, v128.shuffle<f64>(high01, high23, 0, 2), 32);
    v128.store(to, v128.shuffle<f64>(high01, high23, 1, 3), 48);
  }
  for (; k < K; k++) {
    const at = <usize>k << 2;
    const to = strip + (<usize>k << 4);
    store<f32>(to, load<f32>(a + at));
    store<f32>(to, load<f32>(a1 + at), 4);
    store<f32>(to, load<f32>(a2 + at), 8);
    store<f32>(to, load<f32>(a3 + at), 12);
  }
}

/** Packs panel p of b[k, n] = source[k·rowStride + n·columnStride] (strides in bytes). */
export function packPanel(source: usize, rowStride: usize, columnStride: usize, K: i32, N: i32, p: i32, packed: usize): void {
  let at = packed + <usize>p * <usize>K * PANEL_BYTES;
  const first = p * PANEL;
  const valid = min(PANEL, N - first);
  const base = source + <usize>first * columnStride;
  if (columnStride == 4 && valid == PANEL) {
    for (let k = 0; k < K; k++) {
      const row = base + <usize>k * rowStride;
      v128.store(at, v128.load(row));
      v128.store(at, v128.load(row, 16), 16);
      at += PANEL_BYTES;
    }
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

/** Packs rows [0, K) of 4 columns from `first` on, zeros where the matrix ends: the left side of `accumulate`. */
export function packStrip(source: usize, rowStride: usize, K: i32, N: i32, first: i32, strip: usize): void {
  const valid = min(4, N - first);
  const base = source + (<usize>first << 2);
  if (valid == 4) {
    for (let k = 0; k < K; k++) v128.store(strip + (<usize>k << 4), v128.load(base + <usize>k * rowStride));
    return;
  }
  for (let k = 0; k < K; k++) {
    for (let j = 0; j < 4; j++) {
      const value: f32 = j < valid ? load<f32>(base + <usize>k * rowStride + (<usize>j << 2)) : 0;
      store<f32>(strip + (<usize>k << 4) + (<usize>j << 2), value);
    }
  }
}

/** out[4 × 8] += stripᵀ·panel over K rows; the chain goes on from the value already in `out`. */
export function accumulate(
  strip: usize, panel: usize, K: i32, out: usize, outStride: usize, validRows: i32, validColumns: i32,
): void {
  const o1 = validRows > 1 ? out + outStride : out;
  const o2 = validRows > 2 ? out + outStride * 2 : out;
  const o3 = validRows > 3 ? out + outStride * 3 : out;
  let c00 = v128.load(out), c01 = v128.load(out, 16);
  let c10 = v128.load(o1), c11 = v128.load(o1, 16);
  let c20 = v128.load(o2), c21 = v128.load(o2, 16);
  let c30 = v128.load(o3), c31 = v128.load(o3, 16);
  const end = strip + (<usize>K << 4);
  let x: v128;
  while (strip < end) {
    const b0 = v128.load(panel);
    const b1 = v128.load(panel, 16);
    x = v128.load32_splat(strip);
    c00 = fma(x, b0, c00);
    c01 = fma(x, b1, c01);
    x = v128.load32_splat(strip, 4);
    c10 = fma(x, b0, c10);
    c11 = fma(x, b1, c11);
    x = v128.load32_splat(strip, 8);
    c20 = fma(x, b0, c20);
    c21 = fma(x, b1, c21);
    x = v128.load32_splat(strip, 12);
    c30 = fma(x, b0, c30);
    c31 = fma(x, b1, c31);
    strip += 16;
    panel += PANEL_BYTES;
  }
  store8(out, c00, c01, validColumns);
  if (validRows > 1) store8(o1, c10, c11, validColumns);
  if (validRows > 2) store8(o2, c20, c21, validColumns);
  if (validRows > 3) store8(o3, c30, c31, validColumns);
}
