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

// @ts-ignore: decorator
@inline
export function maxLanes(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}

/**
 * e^x, relative error below 2e-7: x = n·ln 2 + r with |r| ≤ ln 2 / 2, a polynomial of degree 6 in r (Cephes
 * expf), then 2ⁿ through the exponent bits. 0 below −87.3; not meant for x above 88. NaN stays NaN.
 */
// @ts-ignore: decorator
@inline
export function exp4(x: v128): v128 {
  const clamped = f32x4.max(x, f32x4.splat(-87.33654));
  const n = f32x4.nearest(f32x4.mul(clamped, f32x4.splat(1.44269504088896341)));
  let r = fma(n, f32x4.splat(-0.693359375), clamped);
  r = fma(n, f32x4.splat(2.12194440e-4), r);
  let y = f32x4.splat(1.9875691500e-4);
  y = fma(y, r, f32x4.splat(1.3981999507e-3));
  y = fma(y, r, f32x4.splat(8.3334519073e-3));
  y = fma(y, r, f32x4.splat(4.1665795894e-2));
  y = fma(y, r, f32x4.splat(1.6666665459e-1));
  y = fma(y, r, f32x4.splat(5.0000001201e-1));
  y = fma(y, f32x4.mul(r, r), r);
  y = f32x4.add(y, f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  const result = f32x4.mul(y, power);
  return v128.andnot(result, f32x4.lt(x, f32x4.splat(-87.33654)));
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
