// Matrices as they are stored: once, row by row, in 16 bits or in GGUF's blocks of 32. The one place that widens them.
//
//   bf16  the upper half of a float32            f16   IEEE binary16
//   q8_0  f16 d, 32 × i8         x = d·q          q4_0  f16 d, 16 bytes         x = d·(q − 8)
//   q4_1  f16 d, f16 m, 16 bytes  x = d·q + m     low halves of the bytes are the first 16 values, high halves the others
//
// d·q is exact in float32, and q4_1's sum is rounded once: every value is the one that the host decodes
// (kernels/storage.ts), so a product has the bits of one with the widened matrix.
import { BF16, F16, Q4_0, Q4_1, Q8_0 } from './sizes';

/** Values of a block, and bytes of one. */
const BLOCK_VALUES: i32 = 32;
const Q8_0_BYTES: usize = 34;
const Q4_0_BYTES: usize = 18;
const Q4_1_BYTES: usize = 20;

/** Bytes of a row of `length` values; of types in blocks it is whole blocks. */
export function storedRowBytes(type: i32, length: i32): usize {
  if (type == BF16 || type == F16) return <usize>length << 1;
  return <usize>(length / BLOCK_VALUES) * (type == Q8_0 ? Q8_0_BYTES : type == Q4_0 ? Q4_0_BYTES : Q4_1_BYTES);
}

/**
 * Values [first, first + count) of the row at `row`, as float32 at `to`. Of types in blocks both are multiples of 8.
 */
export function widen(type: i32, row: usize, first: i32, count: i32, to: usize): void {
  switch (type) {
    case BF16: return widenBfloat(row + (<usize>first << 1), count, to);
    case F16: return widenHalf(row + (<usize>first << 1), count, to);
    case Q8_0: return widenQ8(row, first, count, to);
    case Q4_0: return widenQ4(row, first, count, to);
    case Q4_1: return widenQ4WithMinimum(row, first, count, to);
    default: unreachable();
  }
}

function widenBfloat(from: usize, count: i32, to: usize): void {
  const whole = to + ((<usize>count & ~7) << 2);
  const end = to + (<usize>count << 2);
  const zero = i32x4.splat(0);
  for (; to < whole; to += 32, from += 16) {
    const x = v128.load(from);
    v128.store(to, v128.shuffle<i16>(zero, x, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(to, v128.shuffle<i16>(zero, x, 4, 12, 5, 13, 6, 14, 7, 15), 16);
  }
  for (; to < end; to += 4, from += 2) store<u32>(to, <u32>load<u16>(from) << 16);
}

/** 2^112: float16's exponent is less by 112, and so is that of its bits moved to where float32 has them. */
const REBIAS: f32 = 5.192296858534828e33;

/** The value of a float16; subnormal ones are normal float32. */
// @ts-ignore: decorator
@inline
function half(at: usize): f32 {
  const bits = <u32>load<u16>(at);
  const size = reinterpret<u32>(reinterpret<f32>((bits & 0x7fff) << 13) * REBIAS);
  return reinterpret<f32>(size | ((bits & 0x8000) << 16)); // of q4_0 either sign is as likely: no branch
}

function widenHalf(from: usize, count: i32, to: usize): void {
  const whole = to + ((<usize>count & ~3) << 2);
  const end = to + (<usize>count << 2);
  const rebias = f32x4.splat(REBIAS);
  const sizes = i32x4.splat(0x7fff);
  const signs = i32x4.splat(0x8000);
  for (; to < whole; to += 16, from += 8) {
    const bits = v128.load_ext<u16>(from);
    const size = f32x4.mul(i32x4.shl(v128.and(bits, sizes), 13), rebias);
    v128.store(to, v128.or(size, i32x4.shl(v128.and(bits, signs), 16)));
  }
  for (; to < end; to += 4, from += 2) store<f32>(to, half(from));
}

/** Eight integers of 16 bits times `d`, as float32. */
// @ts-ignore: decorator
@inline
function scaled8(d: v128, q: v128, to: usize): void {
  v128.store(to, f32x4.mul(d, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(q))));
  v128.store(to, f32x4.mul(d, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(q))), 16);
}

/** The same of 16 integers of 8 bits. */
// @ts-ignore: decorator
@inline
function scaled16(d: v128, q: v128, to: usize): void {
  scaled8(d, i16x8.extend_low_i8x16_s(q), to);
  scaled8(d, i16x8.extend_high_i8x16_s(q), to + 32);
}

/** The same, and `m` added. */
// @ts-ignore: decorator
@inline
function shifted8(d: v128, m: v128, q: v128, to: usize): void {
  v128.store(to, f32x4.add(f32x4.mul(d, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(q))), m));
  v128.store(to, f32x4.add(f32x4.mul(d, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(q))), m), 16);
}

// @ts-ignore: decorator
@inline
function shifted16(d: v128, m: v128, q: v128, to: usize): void {
  shifted8(d, m, i16x8.extend_low_i8x16_s(q), to);
  shifted8(d, m, i16x8.extend_high_i8x16_s(q), to + 32);
}

/** Bytes of a whole block as float32. */
const WHOLE: usize = <usize>BLOCK_VALUES << 2;

// Types in blocks: whole blocks at once; of one that is only begun or not ended, 8 values at a time.

function widenQ8(row: usize, first: i32, count: i32, to: usize): void {
  const end = to + (<usize>count << 2);
  let block = row + <usize>(first / BLOCK_VALUES) * Q8_0_BYTES;
  for (let place = first & (BLOCK_VALUES - 1); to < end; place = 0, block += Q8_0_BYTES) {
    const d = f32x4.splat(half(block));
    if (place == 0 && end - to >= WHOLE) {
      scaled16(d, v128.load(block, 2), to);
      scaled16(d, v128.load(block, 18), to + 64);
      to += WHOLE;
      continue;
    }
    for (; place < BLOCK_VALUES && to < end; place += 8, to += 32) {
      scaled8(d, v128.load_ext<i8>(block + <usize>place, 2), to);
    }
  }
}

/** Eight of a block's values of 4 bits, from 0 to 15, in 16 bits each. `place`: the first of them among the 32. */
// @ts-ignore: decorator
@inline
function nibbles(pairs: usize, place: i32): v128 {
  const both = v128.load_ext<u8>(pairs + <usize>(place & 15));
  return place & 16 ? i16x8.shr_u(both, 4) : v128.and(both, i16x8.splat(15));
}

function widenQ4(row: usize, first: i32, count: i32, to: usize): void {
  const end = to + (<usize>count << 2);
  let block = row + <usize>(first / BLOCK_VALUES) * Q4_0_BYTES;
  for (let place = first & (BLOCK_VALUES - 1); to < end; place = 0, block += Q4_0_BYTES) {
    const d = f32x4.splat(half(block));
    if (place == 0 && end - to >= WHOLE) {
      const pairs = v128.load(block, 2);
      scaled16(d, i8x16.sub(v128.and(pairs, i8x16.splat(15)), i8x16.splat(8)), to);
      scaled16(d, i8x16.sub(i8x16.shr_u(pairs, 4), i8x16.splat(8)), to + 64);
      to += WHOLE;
      continue;
    }
    for (; place < BLOCK_VALUES && to < end; place += 8, to += 32) {
      scaled8(d, i16x8.sub(nibbles(block + 2, place), i16x8.splat(8)), to);
    }
  }
}

function widenQ4WithMinimum(row: usize, first: i32, count: i32, to: usize): void {
  const end = to + (<usize>count << 2);
  let block = row + <usize>(first / BLOCK_VALUES) * Q4_1_BYTES;
  for (let place = first & (BLOCK_VALUES - 1); to < end; place = 0, block += Q4_1_BYTES) {
    const d = f32x4.splat(half(block));
    const m = f32x4.splat(half(block + 2));
    if (place == 0 && end - to >= WHOLE) {
      const pairs = v128.load(block, 4);
      shifted16(d, m, v128.and(pairs, i8x16.splat(15)), to);
      shifted16(d, m, i8x16.shr_u(pairs, 4), to + 64);
      to += WHOLE;
      continue;
    }
    for (; place < BLOCK_VALUES && to < end; place += 8, to += 32) shifted8(d, m, nibbles(block + 4, place), to);
  }
}
