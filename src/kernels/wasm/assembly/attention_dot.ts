// Scores of attention: dot products of one query with the keys of two intervals.
//
// One dot product is a chain of hd / 4 multiply-adds that wait for each other; four keys side by side hide that.
// Each sum has the bits of `dot`: four interleaved chains, then (lane 0 + lane 1) + (lane 2 + lane 3), then the tail.
import { fma, fma1, sumsOfLanes } from './simd';

/**
 * scores[h, j] = scale·q_h·k_j of all H heads, for the keys of both intervals in order; rows of scores are `stride` bytes
 * apart. Returns how many keys there are. The 8 floats after a head's last score become −1e30.
 *
 * Keys first, then heads: a key's heads lie side by side, and so memory is read as it lies.
 */
export function scoreKeys(
  q: usize, keys: usize, kvStride: usize, interval: usize, H: i32, HK: i32, hd: i32, scale: f32, scores: usize, stride: usize,
): i32 {
  const factor = f32x4.splat(scale);
  const head = <usize>hd << 2;
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
      for (let kvHead = 0; kvHead < HK; kvHead++, k0 += head) {
        for (let h = 0; h < perKey; h++, x += head, at += stride) {
          v128.store(at, f32x4.mul(dots(x, k0, k0 + to1, k0 + to2, k0 + to3, hd), factor));
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
function dots(q: usize, k0: usize, k1: usize, k2: usize, k3: usize, hd: i32): v128 {
  const whole = <usize>(hd & ~3) << 2;
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  let at: usize = 0;
  // Offsets that are constants cost no instruction.
  for (; at + 64 <= whole; at += 64) {
    const x = q + at, a = k0 + at, b = k1 + at, c = k2 + at, d = k3 + at;
    let y = v128.load(x);
    s0 = fma(y, v128.load(a), s0), s1 = fma(y, v128.load(b), s1);
    s2 = fma(y, v128.load(c), s2), s3 = fma(y, v128.load(d), s3);
    y = v128.load(x, 16);
    s0 = fma(y, v128.load(a, 16), s0), s1 = fma(y, v128.load(b, 16), s1);
    s2 = fma(y, v128.load(c, 16), s2), s3 = fma(y, v128.load(d, 16), s3);
    y = v128.load(x, 32);
    s0 = fma(y, v128.load(a, 32), s0), s1 = fma(y, v128.load(b, 32), s1);
    s2 = fma(y, v128.load(c, 32), s2), s3 = fma(y, v128.load(d, 32), s3);
    y = v128.load(x, 48);
    s0 = fma(y, v128.load(a, 48), s0), s1 = fma(y, v128.load(b, 48), s1);
    s2 = fma(y, v128.load(c, 48), s2), s3 = fma(y, v128.load(d, 48), s3);
  }
  for (; at < whole; at += 16) {
    const x = v128.load(q + at);
    s0 = fma(x, v128.load(k0 + at), s0);
    s1 = fma(x, v128.load(k1 + at), s1);
    s2 = fma(x, v128.load(k2 + at), s2);
    s3 = fma(x, v128.load(k3 + at), s3);
  }
  let sums = sumsOfLanes(s0, s1, s2, s3);
  for (; at < <usize>hd << 2; at += 4) {
    const x = load<f32>(q + at);
    sums = f32x4(
      fma1(x, load<f32>(k0 + at), f32x4.extract_lane(sums, 0)),
      fma1(x, load<f32>(k1 + at), f32x4.extract_lane(sums, 1)),
      fma1(x, load<f32>(k2 + at), f32x4.extract_lane(sums, 2)),
      fma1(x, load<f32>(k3 + at), f32x4.extract_lane(sums, 3)),
    );
  }
  return sums;
}
