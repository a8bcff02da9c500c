// Weighted sums of rows that lie as they are, for attention's backward pass: out_n (+)= Σ_k weight[k, n]·row_k.
//
// STRIP sums side by side, as in micro_kernel.ts, but the right side is not packed: a head's columns are read where they are,
// 16 at a time in a build for 256 bits, then 8, 4 and 1. So a head of 8 fills its registers, and what is added to stays in
// place. Weights of a step of k lie side by side, and are `step` bytes apart from the next step's.
// Order: each element is one chain of multiply-adds over k ascending.
//
// Cost: a multiply-add and a broadcast for 8 columns of a sum (narrow: 4) and step of k, and a load of the row.
import { PANEL, STRIP } from './micro_kernel';
import { fma, fma1 } from './simd';

/**
 * All `columns` of `valid` sums, at most STRIP, over K rows; with `goOn` the chains continue from what is in `out`, whose rows
 * are `outStride` bytes apart. Weights of missing sums are read, and what they give is not kept.
 */
// @ts-ignore: decorator
@inline
export function sumRows(
  weights: usize, step: usize, rows: usize, stride: usize, K: i32, out: usize, outStride: usize, valid: i32, columns: i32,
  goOn: bool,
): void {
  // A missing sum is written where the first one is, before it.
  const o1 = valid > 1 ? outStride : 0;
  const o2 = valid > 2 ? outStride * 2 : 0;
  const o3 = valid > 3 ? outStride * 3 : 0;
  const o4 = valid > 4 ? outStride * 4 : 0;
  const o5 = valid > 5 ? outStride * 5 : 0;
  const end = rows + <usize>K * stride;
  let c = 0;
  if (PANEL == 16) {
    for (; c + 16 <= columns; c += 16) {
      const at = <usize>c << 2;
      if (goOn) sum16On(weights, step, rows + at, stride, end + at, out + at, o1, o2, o3, o4, o5);
      else sum16(weights, step, rows + at, stride, end + at, out + at, o1, o2, o3, o4, o5);
    }
  }
  for (; c + 8 <= columns; c += 8) {
    const at = <usize>c << 2;
    if (goOn) sum8On(weights, step, rows + at, stride, end + at, out + at, o1, o2, o3, o4, o5);
    else sum8(weights, step, rows + at, stride, end + at, out + at, o1, o2, o3, o4, o5);
  }
  if (c < columns) {
    const at = <usize>c << 2;
    const bytes = <usize>(columns - c) << 2;
    for (let n = 0; n < min(STRIP, valid); n++) {
      const to = out + <usize>n * outStride + at;
      sumFew(weights + (<usize>n << 2), step, rows + at, stride, end + at, to, bytes, goOn);
    }
  }
}

function sum8(
  weights: usize, step: usize, row: usize, stride: usize, end: usize, out: usize, o1: usize, o2: usize, o3: usize, o4: usize, o5: usize,
): void {
  tile8(weights, step, row, stride, end, out, o1, o2, o3, o4, o5, false);
}

function sum8On(
  weights: usize, step: usize, row: usize, stride: usize, end: usize, out: usize, o1: usize, o2: usize, o3: usize, o4: usize, o5: usize,
): void {
  tile8(weights, step, row, stride, end, out, o1, o2, o3, o4, o5, true);
}

function sum16(
  weights: usize, step: usize, row: usize, stride: usize, end: usize, out: usize, o1: usize, o2: usize, o3: usize, o4: usize, o5: usize,
): void {
  tile16(weights, step, row, stride, end, out, o1, o2, o3, o4, o5, false);
}

function sum16On(
  weights: usize, step: usize, row: usize, stride: usize, end: usize, out: usize, o1: usize, o2: usize, o3: usize, o4: usize, o5: usize,
): void {
  tile16(weights, step, row, stride, end, out, o1, o2, o3, o4, o5, true);
}

// @ts-ignore: decorator
@inline
function tile8(
  weights: usize, step: usize, row: usize, stride: usize, end: usize, out: usize,
  o1: usize, o2: usize, o3: usize, o4: usize, o5: usize, goOn: bool,
): void {
  let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00;
  let c30 = c00, c31 = c00, c40 = c00, c41 = c00, c50 = c00, c51 = c00;
  if (goOn) {
    c00 = v128.load(out), c01 = v128.load(out, 16);
    c10 = v128.load(out + o1), c11 = v128.load(out + o1, 16);
    c20 = v128.load(out + o2), c21 = v128.load(out + o2, 16);
    c30 = v128.load(out + o3), c31 = v128.load(out + o3, 16);
    c40 = v128.load(out + o4), c41 = v128.load(out + o4, 16);
    c50 = v128.load(out + o5), c51 = v128.load(out + o5, 16);
  }
  let w: v128;
  for (; row != end; row += stride, weights += step) {
    const b0 = v128.load(row);
    const b1 = v128.load(row, 16);
    w = v128.load32_splat(weights);
    c00 = fma(w, b0, c00);
    c01 = fma(w, b1, c01);
    w = v128.load32_splat(weights, 4);
    c10 = fma(w, b0, c10);
    c11 = fma(w, b1, c11);
    w = v128.load32_splat(weights, 8);
    c20 = fma(w, b0, c20);
    c21 = fma(w, b1, c21);
    w = v128.load32_splat(weights, 12);
    c30 = fma(w, b0, c30);
    c31 = fma(w, b1, c31);
    w = v128.load32_splat(weights, 16);
    c40 = fma(w, b0, c40);
    c41 = fma(w, b1, c41);
    w = v128.load32_splat(weights, 20);
    c50 = fma(w, b0, c50);
    c51 = fma(w, b1, c51);
  }
  v128.store(out + o5, c50), v128.store(out + o5, c51, 16);
  v128.store(out + o4, c40), v128.store(out + o4, c41, 16);
  v128.store(out + o3, c30), v128.store(out + o3, c31, 16);
  v128.store(out + o2, c20), v128.store(out + o2, c21, 16);
  v128.store(out + o1, c10), v128.store(out + o1, c11, 16);
  v128.store(out, c00), v128.store(out, c01, 16);
}

// @ts-ignore: decorator
@inline
function tile16(
  weights: usize, step: usize, row: usize, stride: usize, end: usize, out: usize,
  o1: usize, o2: usize, o3: usize, o4: usize, o5: usize, goOn: bool,
): void {
  let c00 = f32x4.splat(0), c01 = c00, c02 = c00, c03 = c00, c10 = c00, c11 = c00, c12 = c00, c13 = c00;
  let c20 = c00, c21 = c00, c22 = c00, c23 = c00, c30 = c00, c31 = c00, c32 = c00, c33 = c00;
  let c40 = c00, c41 = c00, c42 = c00, c43 = c00, c50 = c00, c51 = c00, c52 = c00, c53 = c00;
  if (goOn) {
    let to = out;
    c00 = v128.load(to), c01 = v128.load(to, 16), c02 = v128.load(to, 32), c03 = v128.load(to, 48), to = out + o1;
    c10 = v128.load(to), c11 = v128.load(to, 16), c12 = v128.load(to, 32), c13 = v128.load(to, 48), to = out + o2;
    c20 = v128.load(to), c21 = v128.load(to, 16), c22 = v128.load(to, 32), c23 = v128.load(to, 48), to = out + o3;
    c30 = v128.load(to), c31 = v128.load(to, 16), c32 = v128.load(to, 32), c33 = v128.load(to, 48), to = out + o4;
    c40 = v128.load(to), c41 = v128.load(to, 16), c42 = v128.load(to, 32), c43 = v128.load(to, 48), to = out + o5;
    c50 = v128.load(to), c51 = v128.load(to, 16), c52 = v128.load(to, 32), c53 = v128.load(to, 48);
  }
  let w: v128;
  for (; row != end; row += stride, weights += step) {
    const b0 = v128.load(row);
    const b1 = v128.load(row, 16);
    const b2 = v128.load(row, 32);
    const b3 = v128.load(row, 48);
    w = v128.load32_splat(weights);
    c00 = fma(w, b0, c00);
    c01 = fma(w, b1, c01);
    c02 = fma(w, b2, c02);
    c03 = fma(w, b3, c03);
    w = v128.load32_splat(weights, 4);
    c10 = fma(w, b0, c10);
    c11 = fma(w, b1, c11);
    c12 = fma(w, b2, c12);
    c13 = fma(w, b3, c13);
    w = v128.load32_splat(weights, 8);
    c20 = fma(w, b0, c20);
    c21 = fma(w, b1, c21);
    c22 = fma(w, b2, c22);
    c23 = fma(w, b3, c23);
    w = v128.load32_splat(weights, 12);
    c30 = fma(w, b0, c30);
    c31 = fma(w, b1, c31);
    c32 = fma(w, b2, c32);
    c33 = fma(w, b3, c33);
    w = v128.load32_splat(weights, 16);
    c40 = fma(w, b0, c40);
    c41 = fma(w, b1, c41);
    c42 = fma(w, b2, c42);
    c43 = fma(w, b3, c43);
    w = v128.load32_splat(weights, 20);
    c50 = fma(w, b0, c50);
    c51 = fma(w, b1, c51);
    c52 = fma(w, b2, c52);
    c53 = fma(w, b3, c53);
  }
  let to = out + o5;
  v128.store(to, c50), v128.store(to, c51, 16), v128.store(to, c52, 32), v128.store(to, c53, 48), to = out + o4;
  v128.store(to, c40), v128.store(to, c41, 16), v128.store(to, c42, 32), v128.store(to, c43, 48), to = out + o3;
  v128.store(to, c30), v128.store(to, c31, 16), v128.store(to, c32, 32), v128.store(to, c33, 48), to = out + o2;
  v128.store(to, c20), v128.store(to, c21, 16), v128.store(to, c22, 32), v128.store(to, c23, 48), to = out + o1;
  v128.store(to, c10), v128.store(to, c11, 16), v128.store(to, c12, 32), v128.store(to, c13, 48);
  v128.store(out, c00), v128.store(out, c01, 16), v128.store(out, c02, 32), v128.store(out, c03, 48);
}

/** Last columns of one sum, less than 8: `bytes` of them. */
function sumFew(
  weights: usize, step: usize, row: usize, stride: usize, end: usize, out: usize, bytes: usize, goOn: bool,
): void {
  let at: usize = 0;
  for (; at + 16 <= bytes; at += 16) {
    let sum = goOn ? v128.load(out + at) : f32x4.splat(0);
    for (let x = row + at, w = weights; x != end + at; x += stride, w += step) {
      sum = fma(v128.load32_splat(w), v128.load(x), sum);
    }
    v128.store(out + at, sum);
  }
  for (; at < bytes; at += 4) {
    let sum: f32 = goOn ? load<f32>(out + at) : 0;
    for (let x = row + at, w = weights; x != end + at; x += stride, w += step) sum = fma1(load<f32>(w), load<f32>(x), sum);
    store<f32>(out + at, sum);
  }
}
