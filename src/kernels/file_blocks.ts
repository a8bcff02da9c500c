/**
 * Further blocks of GGUF files: nothing is rounded to them here. Each value is widened as ggml widens it.
 *
 *   Q5_0  f16 d, u32 high bits, 16 bytes           x = d·(q − 16)     32 values; low halves of the bytes are the first 16
 *   Q5_1  f16 d, f16 m, u32 high bits, 16 bytes    x = d·q + m
 *   Q4_K  f16 d, f16 m, 12 bytes, 128 bytes        x = (d·s)·q − m·t  256 values in 8 parts, each with 6 bits of s and of t
 *   Q5_K  f16 d, f16 m, 12 bytes, 32 high bits … , 128 bytes          the same, with a fifth bit of each q
 *   Q6_K  128 bytes, 64 bytes, 16 × i8 s, f16 d    x = (d·s)·(q − 32) 256 values in 16 parts; 4 low bits, 2 high ones
 *
 * Each product and each sum is rounded to float32.
 */
import { halfAt, halfValues } from './half.ts';

export interface FileBlocks {
  /** Values of a block, and its bytes. */
  readonly values: number;
  readonly bytes: number;
  /** Whole blocks. */
  decode(bytes: Uint8Array<ArrayBuffer>): Float32Array<ArrayBuffer>;
}

type DecodeBlock = (bytes: Uint8Array, at: number, out: Float32Array, to: number) => void;

const blocks = (values: number, bytes: number, decodeBlock: DecodeBlock): FileBlocks => ({
  values,
  bytes,
  decode: (given) => {
    const out = new Float32Array((given.length / bytes) * values);
    for (let at = 0, to = 0; at < given.length; at += bytes, to += values) decodeBlock(given, at, out, to);
    return out;
  },
});

const half = (bytes: Uint8Array, at: number): number => halfAt(halfValues(), bytes, at);

/** @param offset  what is taken off each quantum @param hasMinimum  whether m follows d, and is added to each value */
function fiveBits(
  bytes: Uint8Array,
  at: number,
  out: Float32Array,
  to: number,
  offset: number,
  hasMinimum: boolean,
): void {
  const d = half(bytes, at);
  const m = hasMinimum ? half(bytes, at + 2) : 0;
  const high = at + (hasMinimum ? 4 : 2);
  for (let i = 0; i < 16; i++) {
    const pair = bytes[high + 4 + i] as number;
    const first = ((bytes[high + (i >> 3)] as number) >> (i & 7)) & 1;
    const second = ((bytes[high + 2 + (i >> 3)] as number) >> (i & 7)) & 1;
    out[to + i] = Math.fround(d * (((pair & 15) | (first << 4)) - offset)) + m;
    out[to + 16 + i] = Math.fround(d * (((pair >> 4) | (second << 4)) - offset)) + m;
  }
}

/** Scale and minimum of part j of 8, each 6 bits, of 12 bytes that begin at `at`. */
function partOf(bytes: Uint8Array, at: number, j: number): readonly [scale: number, minimum: number] {
  const byte = (i: number): number => bytes[at + i] as number;
  if (j < 4) return [byte(j) & 63, byte(j + 4) & 63];
  return [(byte(j + 4) & 15) | ((byte(j - 4) >> 6) << 4), (byte(j + 4) >> 4) | ((byte(j) >> 6) << 4)];
}

/** @param highAt  where the fifth bits begin, a byte for the i-th value of all parts; undefined where there are none */
function parts(bytes: Uint8Array, at: number, out: Float32Array, to: number, lowAt: number, highAt?: number): void {
  const d = half(bytes, at);
  const m = half(bytes, at + 2);
  for (let j = 0; j < 8; j++) {
    const [s, t] = partOf(bytes, at + 4, j);
    const scale = Math.fround(d * s);
    const minimum = Math.fround(m * t);
    const low = lowAt + 32 * (j >> 1);
    for (let i = 0; i < 32; i++) {
      const nibble = ((bytes[low + i] as number) >> (4 * (j & 1))) & 15;
      const fifth = highAt === undefined ? 0 : (((bytes[highAt + i] as number) >> j) & 1) << 4;
      out[to + 32 * j + i] = Math.fround(scale * (nibble | fifth)) - minimum;
    }
  }
}

function sixBits(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = half(bytes, at + 208);
  for (let part = 0; part < 16; part++) {
    const scale = Math.fround(d * (((bytes[at + 192 + part] as number) << 24) >> 24));
    for (let i = 16 * part; i < 16 * (part + 1); i++) {
      const [eighth, within] = [i >> 7, i & 127];
      const low = (bytes[at + 64 * eighth + (within & 63)] as number) >> (4 * (within >> 6));
      const high = (bytes[at + 128 + 32 * eighth + (within & 31)] as number) >> (2 * (within >> 5));
      out[to + i] = scale * (((low & 15) | ((high & 3) << 4)) - 32);
    }
  }
}

export const FILE_BLOCKS = {
  q5_0: blocks(32, 22, (bytes, at, out, to) => fiveBits(bytes, at, out, to, 16, false)),
  q5_1: blocks(32, 24, (bytes, at, out, to) => fiveBits(bytes, at, out, to, 0, true)),
  q4_k: blocks(256, 144, (bytes, at, out, to) => parts(bytes, at, out, to, at + 16)),
  q5_k: blocks(256, 176, (bytes, at, out, to) => parts(bytes, at, out, to, at + 48, at + 16)),
  q6_k: blocks(256, 210, sixBits),
} as const satisfies Readonly<Record<string, FileBlocks>>;
