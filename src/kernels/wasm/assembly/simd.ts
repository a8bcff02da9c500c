// Four lanes of float32: multiply-add, exponential, and sums in a fixed order.

/** a·b + c: one rounding where the engine has relaxed SIMD and the processor FMA, else two. */
// @ts-ignore: decorator
@inline
export function fma(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_madd<f32>(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** The same a·b + c for one number, with the same rounding as a lane of `fma`. */
// @ts-ignore: decorator
@inline
export function fma1(a: f32, b: f32, c: f32): f32 {
  if (ASC_FEATURE_RELAXED_SIMD) {
    return f32x4.extract_lane(fma(f32x4.splat(a), f32x4.splat(b), f32x4.splat(c)), 0);
  }
  return a * b + c;
}

/** (lane 0 + lane 1) + (lane 2 + lane 3). */
// @ts-ignore: decorator
@inline
export function sumLanes(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

/** `sumLanes` of four vectors. */
// @ts-ignore: decorator
@inline
export function sumsOfLanes(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 2, 4, 6), v128.shuffle<f32>(c, d, 1, 3, 5, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 2, 4, 6), v128.shuffle<f32>(ab, cd, 1, 3, 5, 7));
}

// @ts-ignore: decorator
@inline
export function maxLanes(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}

/** The larger of both, lane by lane, in one instruction (f32x4.max takes eight); NaN where a is NaN, not where b is. */
// @ts-ignore: decorator
@inline
export function larger(a: v128, b: v128): v128 {
  return f32x4.pmax(a, b);
}

/** The smaller of both, as `larger`. */
// @ts-ignore: decorator
@inline
export function smaller(a: v128, b: v128): v128 {
  return f32x4.pmin(a, b);
}

/** Constants of `exp4`. From memory each is one load; V8 builds a constant vector again, in five instructions, at each use. */
const EXP: usize = memory.data<f32>([
  -87.33654, // below it e^x is no normal number
  1.44269504088896341, // 1 / ln 2
  12582912, // 1.5 * 2^23: added, it rounds to an integer, which is then in the lowest bits
  -0.693359375, // ln 2 in two parts
  2.12194440e-4,
  1.9875691500e-4,
  1.3981999507e-3,
  8.3334519073e-3,
  4.1665795894e-2,
  1.6666665459e-1,
  5.0000001201e-1,
  1,
  88,
]);
/** Above it e^x is no float32. */
// @ts-ignore: decorator
@inline
export function mostOfExp(): v128 {
  return v128.load32_splat(EXP, 48);
}

/** 1 in every lane. */
// @ts-ignore: decorator
@inline
export function ones(): v128 {
  return v128.load32_splat(EXP, 44);
}

/** Bias of float32's exponent. */
const BIAS: usize = memory.data<i32>([127]);

/**
 * e^x, relative error below 2e-7: x = n·ln 2 + r with |r| ≤ ln 2 / 2, a polynomial of degree 6 in r (Cephes
 * expf), then 2ⁿ through the exponent bits. 0 below −87.3; not meant for x above 88. NaN stays NaN.
 */
// @ts-ignore: decorator
@inline
export function exp4(x: v128): v128 {
  return v128.andnot(normalExp4(x), f32x4.lt(x, v128.load32_splat(EXP)));
}

/** The same, but for the smallest normal number where `exp4` is 0. */
// @ts-ignore: decorator
@inline
export function normalExp4(x: v128): v128 {
  const rounder = v128.load32_splat(EXP, 8);
  const clamped = larger(x, v128.load32_splat(EXP));
  const shifted = f32x4.add(f32x4.mul(clamped, v128.load32_splat(EXP, 4)), rounder);
  const n = f32x4.sub(shifted, rounder);
  let r = fma(n, v128.load32_splat(EXP, 12), clamped);
  r = fma(n, v128.load32_splat(EXP, 16), r);
  let y = fma(v128.load32_splat(EXP, 20), r, v128.load32_splat(EXP, 24));
  y = fma(y, r, v128.load32_splat(EXP, 28));
  y = fma(y, r, v128.load32_splat(EXP, 32));
  y = fma(y, r, v128.load32_splat(EXP, 36));
  y = fma(y, r, v128.load32_splat(EXP, 40));
  y = fma(y, f32x4.mul(r, r), r);
  y = f32x4.add(y, ones());
  const power = i32x4.shl(i32x4.add(shifted, v128.load32_splat(BIAS)), 23);
  return f32x4.mul(y, power);
}

/** e^x for one number, with the bits of a lane of `exp4`. */
// @ts-ignore: decorator
@inline
export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/** Natural logarithm, rounded once from float64. */
// @ts-ignore: decorator
@inline
export function log1(x: f32): f32 {
  return <f32>Math.log(<f64>x);
}

/** Σ a·b over `length` floats: four interleaved chains, then the tail. */
export function dot(a: usize, b: usize, length: i32): f32 {
  let sum = f32x4.splat(0);
  const whole = length & ~3;
  let i = 0;
  for (; i < whole; i += 4) {
    const at = <usize>i << 2;
    sum = fma(v128.load(a + at), v128.load(b + at), sum);
  }
  let total = sumLanes(sum);
  for (; i < length; i++) {
    const at = <usize>i << 2;
    total = fma1(load<f32>(a + at), load<f32>(b + at), total);
  }
  return total;
}
