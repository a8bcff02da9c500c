// Matrices as they are stored: once, row by row, in 16 bits or in GGUF's blocks of 32. The one place that widens them.
//
//   bf16  the upper half of a float32            f16   IEEE binary16
//   q8_0  f16 d, 32 × i8         x = d·q          q4_0  f16 d, 16 bytes         x = d·(q − 8)
//   q4_1  f16 d, f16 m, 16 bytes  x = d·q + m     low halves of the bytes are the first 16 values, high halves the others
//
// or in those of kernels/file_blocks.ts. Products and sums are rounded as there, most of them exact in float32: every value is
// the one that the host decodes (kernels/storage.ts), so a product has the bits of one with the widened matrix.
import { BF16, F16, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0 } from './sizes';

/** Values of a block, and bytes of one. */
const BLOCK_VALUES: i32 = 32;
const Q8_0_BYTES: usize = 34;
const Q4_0_BYTES: usize = 18;
const Q4_1_BYTES: usize = 20;
const Q6_K_BYTES: usize = 210;

/** Bytes of a row of `length` values; of types in blocks it is whole blocks. */
export function storedRowBytes(type: i32, length: i32): usize {
  if (type == BF16 || type == F16) return <usize>length << 1;
  return <usize>(length >> (type >= Q4_K ? 8 : 5)) * blockBytes(type);
}

function blockBytes(type: i32): usize {
  switch (type) {
    case Q8_0: return Q8_0_BYTES;
    case Q4_0: return Q4_0_BYTES;
    case Q4_1: return Q4_1_BYTES;
    case Q5_0: return 22;
    case Q5_1: return 24;
    case Q4_K: return 144;
    case Q5_K: return 176;
    default: return Q6_K_BYTES;
  }
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
    default: return widenParts(type, row, first, count, to);
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
/** 2^-14, float16's least normal value. */
const LEAST_NORMAL: f32 = 6.103515625e-5;

/** The value of a float16; of a subnormal one without one of float32, which costs a processor a hundred cycles. */
// @ts-ignore: decorator
@inline
function half(at: usize): f32 {
  const bits = <u32>load<u16>(at);
  const size = ((bits & 0x7fff) << 13) + (112 << 23);
  const value = bits & 0x7c00 ? reinterpret<f32>(size) : reinterpret<f32>(size + (1 << 23)) - LEAST_NORMAL;
  return reinterpret<f32>(reinterpret<u32>(value) | ((bits & 0x8000) << 16)); // of q4_0 either sign is as likely: no branch
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

// Blocks of parts that have scales of their own, 8 values at a time.

/** Values from `first` on, part by part. */
function widenParts(type: i32, row: usize, first: i32, count: i32, to: usize): void {
  const end = to + (<usize>count << 2);
  const values = type >= Q4_K ? 256 : BLOCK_VALUES;
  const bytes = blockBytes(type);
  const length = type == Q6_K ? 16 : 32;
  let block = row + <usize>(first / values) * bytes;
  let place = first & (values - 1);
  while (to < end) {
    const stop = min(end, to + (<usize>(length - (place & (length - 1))) << 2));
    if (type == Q6_K) sixBits(block, place, to, stop);
    else if (type >= Q4_K) kBits(block, type == Q5_K, place, to, stop);
    else fiveBits(block, type == Q5_1, place, to, stop);
    place += <i32>(stop - to) >> 2;
    to = stop;
    if (place == values) {
      place = 0;
      block += bytes;
    }
  }
}

/** Bit i of a byte, where lane i is to have 16. */
// @ts-ignore: decorator
@inline
function fifthBits(byte: i32): v128 {
  const bits = i16x8(1, 2, 4, 8, 16, 32, 64, 128);
  return v128.and(i16x8.eq(v128.and(i16x8.splat(<i16>byte), bits), bits), i16x8.splat(16));
}

function fiveBits(block: usize, hasMinimum: bool, place: i32, to: usize, stop: usize): void {
  const d = f32x4.splat(half(block));
  const m = f32x4.splat(hasMinimum ? half(block + 2) : 0);
  const offset = i16x8.splat(hasMinimum ? 0 : 16);
  const high = block + (hasMinimum ? 4 : 2);
  for (; to < stop; place += 8, to += 32) {
    const q = v128.or(nibbles(high + 4, place), fifthBits(<i32>load<u8>(high + (place >> 3))));
    shifted8(d, m, i16x8.sub(q, offset), to);
  }
}

/** Values of one part of 32 of a Q4_K or Q5_K block. */
function kBits(block: usize, hasFifth: bool, place: i32, to: usize, stop: usize): void {
  const part = place >> 5;
  const at = block + 4 + <usize>(part & 3);
  let scale = <i32>load<u8>(at);
  let minimum = <i32>load<u8>(at, 4);
  if (part < 4) {
    scale &= 63;
    minimum &= 63;
  } else {
    const both = <i32>load<u8>(at, 8);
    scale = (both & 15) | ((scale >> 6) << 4);
    minimum = (both >> 4) | ((minimum >> 6) << 4);
  }
  const d = f32x4.splat(half(block) * <f32>scale);
  const m = f32x4.splat(-(half(block + 2) * <f32>minimum));
  const low = block + (hasFifth ? 48 : 16) + (<usize>(part >> 1) << 5);
  const shift = (part & 1) << 2;
  for (; to < stop; place += 8, to += 32) {
    const i = <usize>(place & 31);
    let q = v128.and(i16x8.shr_u(v128.load_ext<u8>(low + i), shift), i16x8.splat(15));
    if (hasFifth) {
      const fifth = i16x8.shr_u(v128.load_ext<u8>(block + 16 + i), part);
      q = v128.or(q, i16x8.shl(v128.and(fifth, i16x8.splat(1)), 4));
    }
    shifted8(d, m, q, to);
  }
}

/** Values of one part of 16 of a Q6_K block. */
function sixBits(block: usize, place: i32, to: usize, stop: usize): void {
  const d = f32x4.splat(half(block + 208) * <f32>load<i8>(block + 192 + <usize>(place >> 4)));
  const within = place & 127;
  const low = block + (<usize>(place >> 7) << 6) + <usize>(within & 63);
  const high = block + 128 + (<usize>(place >> 7) << 5) + <usize>(within & 31);
  for (let i: usize = 0; to < stop; i += 8, to += 32) {
    const four = v128.and(i16x8.shr_u(v128.load_ext<u8>(low + i), (within >> 6) << 2), i16x8.splat(15));
    const two = v128.and(i16x8.shr_u(v128.load_ext<u8>(high + i), (within >> 5) << 1), i16x8.splat(3));
    scaled8(d, i16x8.sub(v128.or(four, i16x8.shl(two, 4)), i16x8.splat(32)), to);
  }
}
