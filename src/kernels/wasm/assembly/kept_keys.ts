// Keys and values as they are kept: float32, or bf16 in half the bytes (T: f32, or u16 for the bits of a bf16).
//
// A bf16 is the upper half of a float32, so attention over them has the bits of attention over the widened rows. What is
// kept is rounded to the nearest, ties to even.
//
// Cost of four: a load; of bf16 a shift too, which the halved reads make up for. (IEEE binary16 takes shift, mask and product:
// attention took 1.4 to 2 times the time of float32.)

/** Values [place, place + 4) from `at` on; `place` is a constant, a multiple of 4 below 32. */
// @ts-ignore: decorator
@inline
export function four<T>(at: usize, place: i32): v128 {
  if (sizeof<T>() == 4) {
    if (place == 4) return v128.load(at, 16);
    if (place == 8) return v128.load(at, 32);
    if (place == 12) return v128.load(at, 48);
    if (place == 16) return v128.load(at, 64);
    if (place == 20) return v128.load(at, 80);
    if (place == 24) return v128.load(at, 96);
    if (place == 28) return v128.load(at, 112);
    return v128.load(at);
  }
  if (place == 4) return i32x4.shl(v128.load_ext<u16>(at, 8), 16);
  if (place == 8) return i32x4.shl(v128.load_ext<u16>(at, 16), 16);
  if (place == 12) return i32x4.shl(v128.load_ext<u16>(at, 24), 16);
  if (place == 16) return i32x4.shl(v128.load_ext<u16>(at, 32), 16);
  if (place == 20) return i32x4.shl(v128.load_ext<u16>(at, 40), 16);
  if (place == 24) return i32x4.shl(v128.load_ext<u16>(at, 48), 16);
  if (place == 28) return i32x4.shl(v128.load_ext<u16>(at, 56), 16);
  return i32x4.shl(v128.load_ext<u16>(at), 16);
}

/** The value at `at`. */
// @ts-ignore: decorator
@inline
export function one<T>(at: usize): f32 {
  if (sizeof<T>() == 4) return load<f32>(at);
  return reinterpret<f32>(<u32>load<u16>(at) << 16);
}

/** Bytes of `count` values. */
// @ts-ignore: decorator
@inline
export function bytesOf<T>(count: i32): usize {
  return <usize>count << alignof<T>();
}

/** Keeps `count` floats as bf16 at `to`. */
export function narrow(from: usize, count: i32, to: usize): void {
  const end = to + bytesOf<u16>(count);
  const whole = to + bytesOf<u16>(count & ~7);
  for (; to < whole; to += 16, from += 32) {
    v128.store(to, v128.shuffle<i16>(rounded(v128.load(from)), rounded(v128.load(from, 16)), 1, 3, 5, 7, 9, 11, 13, 15));
  }
  for (; to < end; to += 2, from += 4) {
    store<u16>(to, <u16>(i32x4.extract_lane(rounded(v128.load32_splat(from)), 0) >>> 16));
  }
}

/** Four floats whose upper halves are what is kept: half of what is cut off is added, less one where the rest is even. */
// @ts-ignore: decorator
@inline
function rounded(x: v128): v128 {
  const isOdd = v128.and(i32x4.shr_u(x, 16), i32x4.splat(1));
  return i32x4.add(i32x4.add(x, i32x4.splat(0x7fff)), isOdd);
}
