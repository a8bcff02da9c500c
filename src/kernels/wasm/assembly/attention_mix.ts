// Weighted sums over the kv rows of two intervals: the values of attention.
//
// A sum over keys is one chain per column, in the order of the intervals. As many columns as registers allow are summed
// at once, so that a chain's latency is hidden by the others'.
import { bytesOf, four, one } from './kept_keys';
import { fma, fma1 } from './simd';

/** out[d] = factor·Σ_j weights[j]·row_j[d] for hd columns; row_j is a row of the intervals, `stride` bytes apart. */
export function mixRows<T>(
  weights: usize, rows: usize, stride: usize, interval: usize, hd: i32, factor: f32, out: usize,
): void {
  const factors = f32x4.splat(factor);
  let at = 0;
  for (; at + 32 <= hd; at += 32) mix32<T>(weights, rows + bytesOf<T>(at), stride, interval, factors, out + bytesOf<f32>(at));
  for (; at + 8 <= hd; at += 8) mix8<T>(weights, rows + bytesOf<T>(at), stride, interval, factors, out + bytesOf<f32>(at));
  for (; at < hd; at++) mix1<T>(weights, rows + bytesOf<T>(at), stride, interval, factor, out + bytesOf<f32>(at));
}

/** Columns [0, 32) of `mixRows`. */
function mix32<T>(weights: usize, column: usize, stride: usize, interval: usize, factor: v128, out: usize): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (let part: usize = 0; part < 16; part += 8) {
    let row = column + <usize>load<i32>(interval + part) * stride;
    const end = column + <usize>load<i32>(interval + part, 4) * stride;
    for (; row < end; row += stride, weights += 4) {
      const w = v128.load32_splat(weights);
      s0 = fma(w, four<T>(row, 0), s0);
      s1 = fma(w, four<T>(row, 4), s1);
      s2 = fma(w, four<T>(row, 8), s2);
      s3 = fma(w, four<T>(row, 12), s3);
      s4 = fma(w, four<T>(row, 16), s4);
      s5 = fma(w, four<T>(row, 20), s5);
      s6 = fma(w, four<T>(row, 24), s6);
      s7 = fma(w, four<T>(row, 28), s7);
    }
  }
  v128.store(out, f32x4.mul(s0, factor));
  v128.store(out, f32x4.mul(s1, factor), 16);
  v128.store(out, f32x4.mul(s2, factor), 32);
  v128.store(out, f32x4.mul(s3, factor), 48);
  v128.store(out, f32x4.mul(s4, factor), 64);
  v128.store(out, f32x4.mul(s5, factor), 80);
  v128.store(out, f32x4.mul(s6, factor), 96);
  v128.store(out, f32x4.mul(s7, factor), 112);
}

/** Columns [0, 8) of `mixRows`. */
function mix8<T>(weights: usize, column: usize, stride: usize, interval: usize, factor: v128, out: usize): void {
  let s0 = f32x4.splat(0), s1 = s0;
  for (let part: usize = 0; part < 16; part += 8) {
    let row = column + <usize>load<i32>(interval + part) * stride;
    const end = column + <usize>load<i32>(interval + part, 4) * stride;
    for (; row < end; row += stride, weights += 4) {
      const w = v128.load32_splat(weights);
      s0 = fma(w, four<T>(row, 0), s0);
      s1 = fma(w, four<T>(row, 4), s1);
    }
  }
  v128.store(out, f32x4.mul(s0, factor));
  v128.store(out, f32x4.mul(s1, factor), 16);
}

/** One column of `mixRows`. */
function mix1<T>(weights: usize, column: usize, stride: usize, interval: usize, factor: f32, out: usize): void {
  let sum: f32 = 0;
  for (let part: usize = 0; part < 16; part += 8) {
    let row = column + <usize>load<i32>(interval + part) * stride;
    const end = column + <usize>load<i32>(interval + part, 4) * stride;
    for (; row < end; row += stride, weights += 4) sum = fma1(load<f32>(weights), one<T>(row), sum);
  }
  store<f32>(out, sum * factor);
}

/**
 * `mixRows` of four heads of 8 columns that lie side by side: the weights' rows are `apart` bytes apart, and `factors` is
 * where their four factors are. One head alone has two sums, which wait for each other.
 */
export function mixFour8<T>(
  weights: usize, apart: usize, column: usize, stride: usize, interval: usize, factors: usize, out: usize,
): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  let w1 = weights + apart, w2 = w1 + apart, w3 = w2 + apart;
  for (let part: usize = 0; part < 16; part += 8) {
    let row = column + <usize>load<i32>(interval + part) * stride;
    const end = column + <usize>load<i32>(interval + part, 4) * stride;
    for (; row < end; row += stride, weights += 4, w1 += 4, w2 += 4, w3 += 4) {
      let w = v128.load32_splat(weights);
      s0 = fma(w, four<T>(row, 0), s0);
      s1 = fma(w, four<T>(row, 4), s1);
      w = v128.load32_splat(w1);
      s2 = fma(w, four<T>(row, 8), s2);
      s3 = fma(w, four<T>(row, 12), s3);
      w = v128.load32_splat(w2);
      s4 = fma(w, four<T>(row, 16), s4);
      s5 = fma(w, four<T>(row, 20), s5);
      w = v128.load32_splat(w3);
      s6 = fma(w, four<T>(row, 24), s6);
      s7 = fma(w, four<T>(row, 28), s7);
    }
  }
  let f = v128.load32_splat(factors);
  v128.store(out, f32x4.mul(s0, f));
  v128.store(out, f32x4.mul(s1, f), 16);
  f = v128.load32_splat(factors, 4);
  v128.store(out, f32x4.mul(s2, f), 32);
  v128.store(out, f32x4.mul(s3, f), 48);
  f = v128.load32_splat(factors, 8);
  v128.store(out, f32x4.mul(s4, f), 64);
  v128.store(out, f32x4.mul(s5, f), 80);
  f = v128.load32_splat(factors, 12);
  v128.store(out, f32x4.mul(s6, f), 96);
  v128.store(out, f32x4.mul(s7, f), 112);
}
