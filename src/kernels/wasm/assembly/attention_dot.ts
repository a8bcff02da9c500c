// Scores of attention: dot products of one query with the keys of two intervals.
//
// One dot product is a chain of hd / 4 multiply-adds that wait for each other; four keys side by side hide that.
// Each sum has the bits of `dot`: four interleaved chains, then (lane 0 + lane 1) + (lane 2 + lane 3), then the tail.
import { fma, fma1 } from './simd';

/**
 * scores[j] = scale·q·k_j for the keys of both intervals in order; returns how many there are. Up to 3 floats after
 * the last score are overwritten.
 */
export function scoreKeys(
  q: usize, keys: usize, kvStride: usize, interval: usize, hd: i32, scale: f32, scores: usize,
): i32 {
  const factor = f32x4.splat(scale);
  let to = scores;
  for (let part = 0; part < 2; part++, interval += 8) {
    const end = load<i32>(interval, 4);
    for (let j = load<i32>(interval); j < end; j += 4) {
      // The first key stands in for those past the end: what it gives is overwritten or never read.
      const k0 = keys + <usize>j * kvStride;
      const left = end - j;
      const k1 = left > 1 ? k0 + kvStride : k0;
      const k2 = left > 2 ? k1 + kvStride : k0;
      const k3 = left > 3 ? k2 + kvStride : k0;
      v128.store(to, f32x4.mul(dots(q, k0, k1, k2, k3, hd), factor));
      to += <usize>min(left, 4) << 2;
    }
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
  // [s0: 0+1, s0: 2+3, s1: 0+1, s1: 2+3], then the same of s2 and s3, then the sums of neighbours.
  const low = f32x4.add(v128.shuffle<f32>(s0, s1, 0, 2, 4, 6), v128.shuffle<f32>(s0, s1, 1, 3, 5, 7));
  const high = f32x4.add(v128.shuffle<f32>(s2, s3, 0, 2, 4, 6), v128.shuffle<f32>(s2, s3, 1, 3, 5, 7));
  let sums = f32x4.add(v128.shuffle<f32>(low, high, 0, 2, 4, 6), v128.shuffle<f32>(low, high, 1, 3, 5, 7));
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
