// rmsNorm and its backward. Formulas: kernels.ts. One pass over a row for the sum, one for the result.
import { address, float, integer } from './arguments';
import { dot, fma, fma1, ones, sumLanes, sumsOfLanes } from './simd';
import { barrier, claim, grainOf } from './threads';

/** y = x·rstd·weight over D floats; returns rstd. Used for rows here and for heads in rotary. */
export function normalize(x: usize, weight: usize, y: usize, D: i32, eps: f32): f32 {
  const rstd: f32 = 1 / sqrt<f32>(dot(x, x, D) / <f32>D + eps);
  const scale = f32x4.splat(rstd);
  const whole = D & ~3;
  let j = 0;
  for (; j < whole; j += 4) {
    const at = <usize>j << 2;
    v128.store(y + at, f32x4.mul(f32x4.mul(v128.load(x + at), scale), v128.load(weight + at)));
  }
  for (; j < D; j++) {
    const at = <usize>j << 2;
    store<f32>(y + at, load<f32>(x + at) * rstd * load<f32>(weight + at));
  }
  return rstd;
}

/**
 * `normalize` of four rows of D floats that lie one after another; D is a multiple of 4. A row alone is one chain of
 * multiply-adds, a division, a root and a division that all wait for each other. `rstd` gets all four.
 */
function normalizeFour(x: usize, weight: usize, y: usize, D: i32, eps: f32, rstd: usize): void {
  const bytes = <usize>D << 2;
  const x1 = x + bytes, x2 = x1 + bytes, x3 = x2 + bytes;
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  for (let at: usize = 0; at < bytes; at += 16) {
    const a = v128.load(x + at), b = v128.load(x1 + at), c = v128.load(x2 + at), d = v128.load(x3 + at);
    s0 = fma(a, a, s0), s1 = fma(b, b, s1), s2 = fma(c, c, s2), s3 = fma(d, d, s3);
  }
  const means = f32x4.div(sumsOfLanes(s0, s1, s2, s3), f32x4.splat(<f32>D));
  const scales = f32x4.div(ones(), f32x4.sqrt(f32x4.add(means, f32x4.splat(eps))));
  v128.store(rstd, scales);
  const r0 = v128.load32_splat(rstd), r1 = v128.load32_splat(rstd, 4);
  const r2 = v128.load32_splat(rstd, 8), r3 = v128.load32_splat(rstd, 12);
  const y1 = y + bytes, y2 = y1 + bytes, y3 = y2 + bytes;
  for (let at: usize = 0; at < bytes; at += 16) {
    const w = v128.load(weight + at);
    v128.store(y + at, f32x4.mul(f32x4.mul(v128.load(x + at), r0), w));
    v128.store(y1 + at, f32x4.mul(f32x4.mul(v128.load(x1 + at), r1), w));
    v128.store(y2 + at, f32x4.mul(f32x4.mul(v128.load(x2 + at), r2), w));
    v128.store(y3 + at, f32x4.mul(f32x4.mul(v128.load(x3 + at), r3), w));
  }
}

/** dX (= or +=) rstd·g − x·rstd³·mean(g·x) with g = dOut·weight. */
export function normalizeBackward(x: usize, weight: usize, rstd: f32, dOut: usize, dX: usize, D: i32, add: bool): void {
  const whole = <usize>(D & ~3) << 2;
  const end = <usize>D << 2;
  let lanes = f32x4.splat(0);
  let at: usize = 0;
  for (; at < whole; at += 16) {
    lanes = fma(f32x4.mul(v128.load(dOut + at), v128.load(weight + at)), v128.load(x + at), lanes);
  }
  let sum = sumLanes(lanes);
  for (; at < end; at += 4) sum = fma1(load<f32>(dOut + at) * load<f32>(weight + at), load<f32>(x + at), sum);
  const factor = (rstd * rstd * rstd * sum) / <f32>D;
  const r = f32x4.splat(rstd);
  const f = f32x4.splat(factor);
  for (at = 0; at < whole; at += 16) {
    const g = f32x4.mul(v128.load(dOut + at), v128.load(weight + at));
    const value = f32x4.sub(f32x4.mul(r, g), f32x4.mul(v128.load(x + at), f));
    v128.store(dX + at, add ? f32x4.add(v128.load(dX + at), value) : value);
  }
  for (; at < end; at += 4) {
    const value = rstd * (load<f32>(dOut + at) * load<f32>(weight + at)) - load<f32>(x + at) * factor;
    store<f32>(dX + at, add ? load<f32>(dX + at) + value : value);
  }
}

/** arguments: begin, end, x, weight, D, out, rstd, eps */
export function rmsNorm(): void {
  const begin = integer(0);
  const end = integer(1);
  const D = integer(4);
  const bytes = <usize>D << 2;
  const eps = float(7);
  const grain = grainOf(end - begin, 32);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    let r = i;
    if ((D & 3) == 0) {
      for (; r + 4 <= last; r += 4) {
        const at = <usize>r * bytes;
        normalizeFour(address(2) + at, address(3), address(5) + at, D, eps, address(6) + (<usize>r << 2));
      }
    }
    for (; r < last; r++) {
      const at = <usize>r * bytes;
      store<f32>(address(6) + (<usize>r << 2), normalize(address(2) + at, address(3), address(5) + at, D, eps));
    }
  }
}

/** arguments: begin, end, x, weight, D, rstd, dOut, dX, dWeight or 0 */
export function rmsNormBackward(): void {
  const begin = integer(0);
  const end = integer(1);
  const D = integer(4);
  const bytes = <usize>D << 2;
  const grain = grainOf(end - begin, 32);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      const at = <usize>r * bytes;
      const rstd = load<f32>(address(5) + (<usize>r << 2));
      normalizeBackward(address(2) + at, address(3), rstd, address(6) + at, address(7) + at, D, true);
    }
  }
  if (address(8) == 0) return;
  barrier();
  for (let j = claim(16); j < D; j = claim(16)) {
    normWeightGradient(address(2), address(5), address(6), address(8), D, j, min(j + 16, D), begin, end);
  }
}

/** dWeight[j] += Σ_r dOut[r, j]·x[r, j]·rstd[r] for columns [first, last): one chain per column, rows in order. */
function normWeightGradient(
  x: usize, rstd: usize, dOut: usize, dWeight: usize, D: i32, first: i32, last: i32, begin: i32, end: i32,
): void {
  const bytes = <usize>D << 2;
  if (last - first == 16) {
    normWeightGradient16(x, rstd, dOut, dWeight, bytes, <usize>first << 2, begin, end);
    return;
  }
  for (let j = first; j < last; j += 4) {
    const at = <usize>j << 2;
    if (j + 4 > D) {
      for (let k = j; k < last; k++) columnWeightGradient(x, rstd, dOut, dWeight, bytes, <usize>k << 2, begin, end);
      return;
    }
    let sum = v128.load(dWeight + at);
    for (let r = begin; r < end; r++) {
      const row = <usize>r * bytes + at;
      const normalized = f32x4.mul(v128.load(x + row), v128.load32_splat(rstd + (<usize>r << 2)));
      sum = fma(v128.load(dOut + row), normalized, sum);
    }
    v128.store(dWeight + at, sum);
  }
}

/** 16 columns of the above, a cache line of each row, side by side. */
function normWeightGradient16(
  x: usize, rstd: usize, dOut: usize, dWeight: usize, bytes: usize, at: usize, begin: i32, end: i32,
): void {
  const to = dWeight + at;
  let s0 = v128.load(to), s1 = v128.load(to, 16), s2 = v128.load(to, 32), s3 = v128.load(to, 48);
  let scale = rstd + (<usize>begin << 2);
  const last = rstd + (<usize>end << 2);
  for (let row = <usize>begin * bytes + at; scale < last; scale += 4, row += bytes) {
    const from = x + row, d = dOut + row;
    const r = v128.load32_splat(scale);
    s0 = fma(v128.load(d), f32x4.mul(v128.load(from), r), s0);
    s1 = fma(v128.load(d, 16), f32x4.mul(v128.load(from, 16), r), s1);
    s2 = fma(v128.load(d, 32), f32x4.mul(v128.load(from, 32), r), s2);
    s3 = fma(v128.load(d, 48), f32x4.mul(v128.load(from, 48), r), s3);
  }
  v128.store(to, s0), v128.store(to, s1, 16), v128.store(to, s2, 32), v128.store(to, s3, 48);
}

/** One column of the above, where the row does not end on a multiple of four. */
function columnWeightGradient(
  x: usize, rstd: usize, dOut: usize, dWeight: usize, bytes: usize, at: usize, begin: i32, end: i32,
): void {
  let sum = load<f32>(dWeight + at);
  for (let r = begin; r < end; r++) {
    const row = <usize>r * bytes + at;
    sum = fma1(load<f32>(dOut + row), load<f32>(x + row) * load<f32>(rstd + (<usize>r << 2)), sum);
  }
  store<f32>(dWeight + at, sum);
}
