// The innermost loop: a tile of STRIP rows and PANEL columns, every element one chain of multiply-adds over k.
//
// Narrow, for engines that take 128 bits at a time: 6 × 8, 12 accumulators, 2 panel registers, 1 broadcast, which is all
// 15 registers that V8 has to give, and long enough between two uses of an accumulator to hide the multiply-add's
// latency. Wide, built with WIDE, for engines that fuse neighbouring pairs into 256 bits: 6 × 16, 24 accumulators in 12
// pairs. An engine that does not fuse them spills half and is slower than narrow: the host measures before it chooses.
// Both give the same bits. Each is a function of its own with little else alive: with more, V8 spills accumulators
// inside the loop and loses a third; with a branch before the loop, it no longer fuses all pairs. So the one body of
// each width is inlined four times, with `goOn` and `isShort` constants.
import { fma } from './simd';
import { NARROW_PANEL, STRIP_ROWS, WIDE_PANEL } from './sizes';

/** Rows of a strip. */
export const STRIP: i32 = STRIP_ROWS;
/** Rows of a short tile: as few as hide the multiply-add's latency. */
export const SHORT: i32 = 4;
/** Columns of a panel in this build. */
export const PANEL: i32 = isDefined(WIDE) ? WIDE_PANEL : NARROW_PANEL;

/** Bytes of a strip a step of k. */
export const STRIP_BYTES: usize = <usize>STRIP << 2;

/**
 * out[STRIP × PANEL] = stripᵀ·panel, or with `goOn` the chains continue from what is in `out`. `stride` in bytes. With
 * `isShort` of the first SHORT rows of a strip alone, in two thirds of the time.
 */
// @ts-ignore: decorator
@inline
export function chains(strip: usize, panel: usize, K: i32, out: usize, stride: usize, goOn: bool, isShort: bool): void {
  if (isDefined(WIDE)) {
    if (isShort) {
      if (goOn) shortWideOn(strip, panel, K, out, stride);
      else shortWide(strip, panel, K, out, stride);
    } else if (goOn) wideOn(strip, panel, K, out, stride);
    else wide(strip, panel, K, out, stride);
  } else if (isShort) {
    if (goOn) shortNarrowOn(strip, panel, K, out, stride);
    else shortNarrow(strip, panel, K, out, stride);
  } else if (goOn) narrowOn(strip, panel, K, out, stride);
  else narrow(strip, panel, K, out, stride);
}

function narrow(strip: usize, panel: usize, K: i32, out: usize, stride: usize): void {
  narrowTile(strip, panel, K, out, stride, false, false);
}

function narrowOn(strip: usize, panel: usize, K: i32, out: usize, stride: usize): void {
  narrowTile(strip, panel, K, out, stride, true, false);
}

function shortNarrow(strip: usize, panel: usize, K: i32, out: usize, stride: usize): void {
  narrowTile(strip, panel, K, out, stride, false, true);
}

function shortNarrowOn(strip: usize, panel: usize, K: i32, out: usize, stride: usize): void {
  narrowTile(strip, panel, K, out, stride, true, true);
}

function wide(strip: usize, panel: usize, K: i32, out: usize, stride: usize): void {
  wideTile(strip, panel, K, out, stride, false, false);
}

function wideOn(strip: usize, panel: usize, K: i32, out: usize, stride: usize): void {
  wideTile(strip, panel, K, out, stride, true, false);
}

function shortWide(strip: usize, panel: usize, K: i32, out: usize, stride: usize): void {
  wideTile(strip, panel, K, out, stride, false, true);
}

function shortWideOn(strip: usize, panel: usize, K: i32, out: usize, stride: usize): void {
  wideTile(strip, panel, K, out, stride, true, true);
}

/** 6 × 8, short 4 × 8. */
// @ts-ignore: decorator
@inline
function narrowTile(strip: usize, panel: usize, K: i32, out: usize, stride: usize, goOn: bool, isShort: bool): void {
  let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00;
  let c30 = c00, c31 = c00, c40 = c00, c41 = c00, c50 = c00, c51 = c00;
  if (goOn) {
    let row = out;
    c00 = v128.load(row), c01 = v128.load(row, 16), row += stride;
    c10 = v128.load(row), c11 = v128.load(row, 16), row += stride;
    c20 = v128.load(row), c21 = v128.load(row, 16), row += stride;
    c30 = v128.load(row), c31 = v128.load(row, 16), row += stride;
    if (!isShort) {
      c40 = v128.load(row), c41 = v128.load(row, 16), row += stride;
      c50 = v128.load(row), c51 = v128.load(row, 16);
    }
  }
  const end = panel + (<usize>(K * PANEL) << 2);
  let x: v128;
  while (panel < end) {
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
    if (!isShort) {
      x = v128.load32_splat(strip, 16);
      c40 = fma(x, b0, c40);
      c41 = fma(x, b1, c41);
      x = v128.load32_splat(strip, 20);
      c50 = fma(x, b0, c50);
      c51 = fma(x, b1, c51);
    }
    strip += STRIP_BYTES;
    panel += <usize>PANEL << 2;
  }
  v128.store(out, c00), v128.store(out, c01, 16), out += stride;
  v128.store(out, c10), v128.store(out, c11, 16), out += stride;
  v128.store(out, c20), v128.store(out, c21, 16), out += stride;
  v128.store(out, c30), v128.store(out, c31, 16), out += stride;
  if (isShort) return;
  v128.store(out, c40), v128.store(out, c41, 16), out += stride;
  v128.store(out, c50), v128.store(out, c51, 16);
}

/** 6 × 16, short 4 × 16. */
// @ts-ignore: decorator
@inline
function wideTile(strip: usize, panel: usize, K: i32, out: usize, stride: usize, goOn: bool, isShort: bool): void {
  let c00 = f32x4.splat(0), c01 = c00, c02 = c00, c03 = c00, c10 = c00, c11 = c00, c12 = c00, c13 = c00;
  let c20 = c00, c21 = c00, c22 = c00, c23 = c00, c30 = c00, c31 = c00, c32 = c00, c33 = c00;
  let c40 = c00, c41 = c00, c42 = c00, c43 = c00, c50 = c00, c51 = c00, c52 = c00, c53 = c00;
  if (goOn) {
    let row = out;
    c00 = v128.load(row), c01 = v128.load(row, 16), c02 = v128.load(row, 32), c03 = v128.load(row, 48), row += stride;
    c10 = v128.load(row), c11 = v128.load(row, 16), c12 = v128.load(row, 32), c13 = v128.load(row, 48), row += stride;
    c20 = v128.load(row), c21 = v128.load(row, 16), c22 = v128.load(row, 32), c23 = v128.load(row, 48), row += stride;
    c30 = v128.load(row), c31 = v128.load(row, 16), c32 = v128.load(row, 32), c33 = v128.load(row, 48), row += stride;
    if (!isShort) {
      c40 = v128.load(row), c41 = v128.load(row, 16), c42 = v128.load(row, 32), c43 = v128.load(row, 48), row += stride;
      c50 = v128.load(row), c51 = v128.load(row, 16), c52 = v128.load(row, 32), c53 = v128.load(row, 48);
    }
  }
  const end = panel + (<usize>(K * PANEL) << 2);
  let x: v128;
  while (panel < end) {
    const b0 = v128.load(panel);
    const b1 = v128.load(panel, 16);
    const b2 = v128.load(panel, 32);
    const b3 = v128.load(panel, 48);
    x = v128.load32_splat(strip);
    c00 = fma(x, b0, c00);
    c01 = fma(x, b1, c01);
    c02 = fma(x, b2, c02);
    c03 = fma(x, b3, c03);
    x = v128.load32_splat(strip, 4);
    c10 = fma(x, b0, c10);
    c11 = fma(x, b1, c11);
    c12 = fma(x, b2, c12);
    c13 = fma(x, b3, c13);
    x = v128.load32_splat(strip, 8);
    c20 = fma(x, b0, c20);
    c21 = fma(x, b1, c21);
    c22 = fma(x, b2, c22);
    c23 = fma(x, b3, c23);
    x = v128.load32_splat(strip, 12);
    c30 = fma(x, b0, c30);
    c31 = fma(x, b1, c31);
    c32 = fma(x, b2, c32);
    c33 = fma(x, b3, c33);
    if (!isShort) {
      x = v128.load32_splat(strip, 16);
      c40 = fma(x, b0, c40);
      c41 = fma(x, b1, c41);
      c42 = fma(x, b2, c42);
      c43 = fma(x, b3, c43);
      x = v128.load32_splat(strip, 20);
      c50 = fma(x, b0, c50);
      c51 = fma(x, b1, c51);
      c52 = fma(x, b2, c52);
      c53 = fma(x, b3, c53);
    }
    strip += STRIP_BYTES;
    panel += <usize>PANEL << 2;
  }
  v128.store(out, c00), v128.store(out, c01, 16), v128.store(out, c02, 32), v128.store(out, c03, 48), out += stride;
  v128.store(out, c10), v128.store(out, c11, 16), v128.store(out, c12, 32), v128.store(out, c13, 48), out += stride;
  v128.store(out, c20), v128.store(out, c21, 16), v128.store(out, c22, 32), v128.store(out, c23, 48), out += stride;
  v128.store(out, c30), v128.store(out, c31, 16), v128.store(out, c32, 32), v128.store(out, c33, 48), out += stride;
  if (isShort) return;
  v128.store(out, c40), v128.store(out, c41, 16), v128.store(out, c42, 32), v128.store(out, c43, 48), out += stride;
  v128.store(out, c50), v128.store(out, c51, 16), v128.store(out, c52, 32), v128.store(out, c53, 48);
}
