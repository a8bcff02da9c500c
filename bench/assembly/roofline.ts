// Loops that do nothing but what a kernel cannot do without: the roofs of the roofline.
//
// Each runs `rounds` times over the same operands. Memory comes from the host; nothing is allocated.

// @ts-ignore: decorator
@inline
function fma(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_madd<f32>(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** 12 chains of multiply-adds in registers: 96 operations a round. Two units of latency 4 need 8 chains or more. */
export function registers(at: usize, rounds: i32): void {
  const x = v128.load(at), y = v128.load(at, 16);
  let c0 = x, c1 = x, c2 = x, c3 = x, c4 = x, c5 = x, c6 = x, c7 = x, c8 = x, c9 = x, c10 = x, c11 = x;
  for (let i = 0; i < rounds; i++) {
    c0 = fma(c0, y, x);
    c1 = fma(c1, y, x);
    c2 = fma(c2, y, x);
    c3 = fma(c3, y, x);
    c4 = fma(c4, y, x);
    c5 = fma(c5, y, x);
    c6 = fma(c6, y, x);
    c7 = fma(c7, y, x);
    c8 = fma(c8, y, x);
    c9 = fma(c9, y, x);
    c10 = fma(c10, y, x);
    c11 = fma(c11, y, x);
  }
  c0 = f32x4.add(f32x4.add(f32x4.add(c0, c1), f32x4.add(c2, c3)), f32x4.add(f32x4.add(c4, c5), f32x4.add(c6, c7)));
  v128.store(at, f32x4.add(c0, f32x4.add(f32x4.add(c8, c9), f32x4.add(c10, c11))), 32);
}

/** Copies `bytes`, a multiple of 64: as many are read as are written. */
export function copy(from: usize, to: usize, bytes: usize, rounds: i32): void {
  for (let i = 0; i < rounds; i++) {
    for (let at: usize = 0; at < bytes; at += 64) {
      v128.store(to + at, v128.load(from + at));
      v128.store(to + at, v128.load(from + at, 16), 16);
      v128.store(to + at, v128.load(from + at, 32), 32);
      v128.store(to + at, v128.load(from + at, 48), 48);
    }
  }
}
