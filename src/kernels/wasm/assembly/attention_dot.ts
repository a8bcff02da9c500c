// Scores of attention: dot products of one query with the keys of two intervals.
//
// One dot product is a chain of hd / 4 multiply-adds that wait for each other; four keys side by side hide that.
// Each sum has the bits of `dot`: four interleaved chains, then (lane 0 + lane 1) + (lane 2 + lane 3), then the tail.
import { bytesOf, four, one } from './kept_keys';
import { fma, fma1, sumsOfLanes } from './simd';

/**
 * scores[h, j] = scale·q_h·k_j of all H heads, for the keys of both intervals in order; rows of scores are `stride` bytes
 * apart. Returns how many keys there are. The 8 floats after a head's last score become −1e30.
 *
 * Keys first, then heads: a key's heads lie side by side, and so memory is read as it lies.
 */
export function scoreKeys<T>(
  q: usize, keys: usize, kvStride: usize, interval: usize, H: i32, HK: i32, hd: i32, scale: f32, scores: usize, stride: usize,
): i32 {
  const factor = f32x4.splat(scale);
  const head = <usize>hd << 2;
  const keyHead = bytesOf<T>(hd);
  const perKey = H / HK;
  let to = scores;
  for (let part = 0; part < 2; part++, interval += 8) {
    const end = load<i32>(interval, 4);
    for (let j = load<i32>(interval); j < end; j += 4) {
      // The first key stands in for those past the end: what it gives is overwritten or never read.
      let k0 = keys + <usize>j * kvStride;
      const left = end - j;
      const to1 = left > 1 ? kvStride : 0, to2 = left > 2 ? to1 + kvStride : 0, to3 = left > 3 ? to2 + kvStride : 0;
      let x = q;
      let at = to;
      for (let kvHead = 0; kvHead < HK; kvHead++, k0 += keyHead) {
        for (let h = 0; h < perKey; h++, x += head, at += stride) {
          v128.store(at, f32x4.mul(dots<T>(x, k0, k0 + to1, k0 + to2, k0 + to3, hd), factor));
        }
      }
      to += <usize>min(left, 4) << 2;
    }
  }
  const nothing = f32x4.splat(-1e30);
  for (let h = 0, at = to; h < H; h++, at += stride) {
    v128.store(at, nothing);
    v128.store(at, nothing, 16);
  }
  return <i32>((to - scores) >> 2);
}

/** q·k0, q·k1, q·k2, q·k3. */
// @ts-ignore: decorator
@inline
function dots<T>(q: usize, k0: usize, k1: usize, k2: usize, k3: usize, hd: i32): v128 {
  const whole = <usize>(hd & ~3) << 2;
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  let at: usize = 0;
  // Offsets that are constants cost no instruction.
  for (; at + 64 <= whole; at += 64) {
    const x = q + at, key = at >> (2 - alignof<T>());
    const a = k0 + key, b = k1 + key, c = k2 + key, d = k3 + key;
    let y = v128.load(x);
    s0 = fma(y, four<T>(a, 0), s0), s1 = fma(y, four<T>(b, 0), s1);
    s2 = fma(y, four<T>(c, 0), s2), s3 = fma(y, four<T>(d, 0), s3);
    y = v128.load(x, 16);
    s0 = fma(y, four<T>(a, 4), s0), s1 = fma(y, four<T>(b, 4), s1);
    s2 = fma(y, four<T>(c, 4), s2), s3 = fma(y, four<T>(d, 4), s3);
    y = v128.load(x, 32);
    s0 = fma(y, four<T>(a, 8), s0), s1 = fma(y, four<T>(b, 8), s1);
    s2 = fma(y, four<T>(c, 8), s2), s3 = fma(y, four<T>(d, 8), s3);
    y = v128.load(x, 48);
    s0 = fma(y, four<T>(a, 12), s0), s1 = fma(y, four<T>(b, 12), s1);
    s2 = fma(y, four<T>(c, 12), s2), s3 = fma(y, four<T>(d, 12), s3);
  }
  for (; at < whole; at += 16) {
    const x = v128.load(q + at), key = at >> (2 - alignof<T>());
    s0 = fma(x, four<T>(k0 + key, 0), s0);
    s1 = fma(x, four<T>(k1 + key, 0), s1);
    s2 = fma(x, four<T>(k2 + key, 0), s2);
    s3 = fma(x, four<T>(k3 + key, 0), s3);
  }
  let sums = sumsOfLanes(s0, s1, s2, s3);
  for (; at < <usize>hd << 2; at += 4) {
    const x = load<f32>(q + at), key = at >> (2 - alignof<T>());
    sums = f32x4(
      fma1(x, one<T>(k0 + key), f32x4.extract_lane(sums, 0)),
      fma1(x, one<T>(k1 + key), f32x4.extract_lane(sums, 1)),
      fma1(x, one<T>(k2 + key), f32x4.extract_lane(sums, 2)),
      fma1(x, one<T>(k3 + key), f32x4.extract_lane(sums, 3)),
    );
  }
  return sums;
}
