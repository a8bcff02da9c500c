// attention over two intervals of kv rows, and its backward. Formulas: kernels.ts.
//
// One (row, head) at a time: scores of all its keys stand in the thread's scratch (context floats), keys in the
// order of the intervals, so the sum is the same in decode and in training. The backward walks the rows of one
// island in order for one kv head, so dK and dV have a single owner; p is recomputed from the log-sum-exp.
import { address, float, integer } from './arguments';
import { axpy, dot, exp4, fma, fma1, log1, maxLanes, sumLanes } from './simd';
import { claim, scratch } from './threads';

/** arguments: begin, end, q, kv, intervals, H, HK, hd, scale, out, logSumExp */
export function attention(): void {
  const begin = integer(0);
  const end = integer(1);
  for (let i = begin + claim(16); i < end; i = begin + claim(16)) {
    const last = min(i + 16, end);
    for (let r = i; r < last; r++) attendRow(r);
  }
}

/** scores[j] = scale·q·k_j for the row's keys in order; returns how many there are. */
function scoreKeys(q: usize, keys: usize, kvStride: usize, interval: usize, hd: i32, scale: f32, scores: usize): i32 {
  let n = 0;
  for (let part = 0; part < 2; part++) {
    const end = load<i32>(interval, 4);
    for (let j = load<i32>(interval); j < end; j++) {
      store<f32>(scores + (<usize>n << 2), dot(q, keys + <usize>j * kvStride, hd) * scale);
      n++;
    }
    interval += 8;
  }
  return n;
}

/** Turns n scores into e^(score − max), in place, padded to a multiple of 4; returns the log-sum-exp. */
function exponentiate(scores: usize, n: i32): f32 {
  const padded = (n + 3) & ~3;
  for (let j = n; j < padded; j++) store<f32>(scores + (<usize>j << 2), -1e30);
  let top = v128.load(scores);
  for (let j = 4; j < padded; j += 4) top = f32x4.max(top, v128.load(scores + (<usize>j << 2)));
  const highest = maxLanes(top);
  const shift = f32x4.splat(highest);
  let sum = f32x4.splat(0);
  for (let j = 0; j < padded; j += 4) {
    const at = scores + (<usize>j << 2);
    const e = exp4(f32x4.sub(v128.load(at), shift));
    v128.store(at, e);
    sum = f32x4.add(sum, e);
  }
  return highest + log1(sumLanes(sum));
}

function attendRow(r: i32): void {
  const H = integer(5);
  const HK = integer(6);
  const hd = integer(7);
  const head = <usize>hd << 2;
  const kvStride = <usize>(2 * HK) * head;
  const interval = address(4) + (<usize>r << 4);
  const row = <usize>r * <usize>H * head;
  for (let h = 0; h < H; h++) {
    const kvHead = <usize>((h * HK) / H) * head;
    const q = address(2) + row + <usize>h * head;
    const out = address(9) + row + <usize>h * head;
    const n = scoreKeys(q, address(3) + kvHead, kvStride, interval, hd, float(8), scratch);
    store<f32>(address(10) + (<usize>(r * H + h) << 2), n > 0 ? exponentiate(scratch, n) : 0);
    mixValues(address(3) + kvHead + <usize>HK * head, kvStride, interval, hd, out, n);
  }
}

/** out = Σ e_j v_j / Σ e_j with the n values e_j in scratch. */
function mixValues(values: usize, kvStride: usize, interval: usize, hd: i32, out: usize, n: i32): void {
  const padded = (n + 3) & ~3;
  let total = f32x4.splat(0);
  for (let j = 0; j < padded; j += 4) total = f32x4.add(total, v128.load(scratch + (<usize>j << 2)));
  const inverse = f32x4.splat(1 / sumLanes(total));
  for (let j = 0; j < padded; j += 4) {
    const at = scratch + (<usize>j << 2);
    v128.store(at, f32x4.mul(v128.load(at), inverse));
  }
  combine(scratch, values, kvStride, interval, hd, out);
}

/** out = Σ weights_j·row_j in the order of the intervals; four columns at a time, so that their sums stay in registers. */
function combine(weights: usize, rows: usize, kvStride: usize, interval: usize, hd: i32, out: usize): void {
  const first = load<i32>(interval), firstEnd = load<i32>(interval, 4);
  const second = load<i32>(interval, 8), secondEnd = load<i32>(interval, 12);
  const whole = hd & ~3;
  let d = 0;
  for (; d < whole; d += 4) {
    const column = rows + (<usize>d << 2);
    let weight = weights;
    let sum = f32x4.splat(0);
    for (let j = first; j < firstEnd; j++, weight += 4) {
      sum = fma(v128.load32_splat(weight), v128.load(column + <usize>j * kvStride), sum);
    }
    for (let j = second; j < secondEnd; j++, weight += 4) {
      sum = fma(v128.load32_splat(weight), v128.load(column + <usize>j * kvStride), sum);
    }
    v128.store(out + (<usize>d << 2), sum);
  }
  for (; d < hd; d++) {
    const column = rows + (<usize>d << 2);
    let weight = weights;
    let sum: f32 = 0;
    for (let j = first; j < firstEnd; j++, weight += 4) {
      sum = fma1(load<f32>(weight), load<f32>(column + <usize>j * kvStride), sum);
    }
    for (let j = second; j < secondEnd; j++, weight += 4) {
      sum = fma1(load<f32>(weight), load<f32>(column + <usize>j * kvStride), sum);
    }
    store<f32>(out + (<usize>d << 2), sum);
  }
}

/** arguments: islandCount, islands, q, kv, intervals, H, HK, hd, scale, out, logSumExp, dOut, dQ, dKv */
export function attentionBackward(): void {
  const HK = integer(6);
  const items = integer(0) * HK;
  const perKvHead = integer(5) / HK;
  for (let item = claim(1); item < items; item = claim(1)) {
    const island = address(1) + (<usize>(item / HK) << 2);
    const kvHead = item % HK;
    const end = load<i32>(island, 4);
    for (let r = load<i32>(island); r < end; r++) {
      for (let h = kvHead * perKvHead; h < (kvHead + 1) * perKvHead; h++) attendBackward(r, h, kvHead);
    }
  }
}

function attendBackward(r: i32, h: i32, kvHead: i32): void {
  const H = integer(5);
  const HK = integer(6);
  const hd = integer(7);
  const scale = float(8);
  const head = <usize>hd << 2;
  const kvStride = <usize>(2 * HK) * head;
  const at = (<usize>r * <usize>H + <usize>h) * head;
  const q = address(2) + at;
  const dOut = address(11) + at;
  const dQ = address(12) + at;
  const logSumExp = load<f32>(address(10) + (<usize>(r * H + h) << 2));
  const shared = dot(dOut, address(9) + at, hd);
  const keys = address(3) + <usize>kvHead * head;
  const dKeys = address(13) + <usize>kvHead * head;
  const toValue = <usize>HK * head;
  const interval = address(4) + (<usize>r << 4);
  // Two rows of scratch: q·k_j and dOut·v_j, which become dScore_j and p_j, four keys at a time.
  const n = scoreKeys(q, keys, kvStride, interval, hd, scale, scratch);
  const padded = (n + 3) & ~3;
  const gradients = scratch + (<usize>padded << 2);
  scoreKeys(dOut, keys + toValue, kvStride, interval, hd, 1, gradients);
  for (let j = n; j < padded; j++) {
    store<f32>(scratch + (<usize>j << 2), -1e30);
    store<f32>(gradients + (<usize>j << 2), 0);
  }
  for (let j = 0; j < padded; j += 4) {
    const score = scratch + (<usize>j << 2);
    const gradient = gradients + (<usize>j << 2);
    const p = exp4(f32x4.sub(v128.load(score), f32x4.splat(logSumExp)));
    const dScore = f32x4.mul(f32x4.mul(p, f32x4.sub(v128.load(gradient), f32x4.splat(shared))), f32x4.splat(scale));
    v128.store(score, dScore);
    v128.store(gradient, p);
  }
  let place: usize = 0;
  for (let part: usize = 0; part < 16; part += 8) {
    const end = load<i32>(interval + part, 4);
    for (let j = load<i32>(interval + part); j < end; j++, place += 4) {
      const dKey = dKeys + <usize>j * kvStride;
      axpy(load<f32>(scratch + place), q, dKey, hd);
      axpy(load<f32>(gradients + place), dOut, dKey + toValue, hd);
    }
  }
  combine(scratch, keys, kvStride, interval, hd, dQ);
}
