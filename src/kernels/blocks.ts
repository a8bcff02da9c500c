/**
 * Numbers in blocks of 32 with a scale, as GGUF has them:
 *
 *   q8_0  f16 d, 32 × i8          x = d·q
 *   q4_0  f16 d, 16 bytes         x = d·(q − 8)     low halves are the first 16 values, high halves the others
 *   q4_1  f16 d, f16 m, 16 bytes  x = d·q + m
 *
 * Each value is rounded once to float32, and is quantised as ggml does it, with the scale as it is before it is rounded to
 * f16. Quantising takes whole blocks of finite values.
 */
import { halfValues, toHalf } from './half.ts';

/** Values of a block. */
export const BLOCK_VALUES = 32;
/** Bytes of one. */
export const BLOCK_BYTES = { q8_0: 34, q4_0: 18, q4_1: 20 } as const;

/** f16 at a byte offset that may be odd. @param halves  the value of each bit pattern */
function halfAt(halves: Float32Array, bytes: Uint8Array, at: number): number {
  return halves[(bytes[at] as number) | ((bytes[at + 1] as number) << 8)] as number;
}

export function fromQ80(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const halves = halfValues();
  const out = new Float32Array((bytes.length / BLOCK_BYTES.q8_0) * BLOCK_VALUES);
  for (let at = 0, to = 0; at < bytes.length; at += BLOCK_BYTES.q8_0, to += BLOCK_VALUES) {
    const d = halfAt(halves, bytes, at);
    for (let i = 0; i < BLOCK_VALUES; i++) out[to + i] = d * (((bytes[at + 2 + i] as number) << 24) >> 24);
  }
  return out;
}

export function fromQ40(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const halves = halfValues();
  const out = new Float32Array((bytes.length / BLOCK_BYTES.q4_0) * BLOCK_VALUES);
  for (let at = 0, to = 0; at < bytes.length; at += BLOCK_BYTES.q4_0, to += BLOCK_VALUES) {
    const d = halfAt(halves, bytes, at);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 2 + i] as number;
      out[to + i] = d * ((pair & 15) - 8);
      out[to + 16 + i] = d * ((pair >> 4) - 8);
    }
  }
  return out;
}

export function fromQ41(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const halves = halfValues();
  const out = new Float32Array((bytes.length / BLOCK_BYTES.q4_1) * BLOCK_VALUES);
  for (let at = 0, to = 0; at < bytes.length; at += BLOCK_BYTES.q4_1, to += BLOCK_VALUES) {
    const d = halfAt(halves, bytes, at);
    const m = halfAt(halves, bytes, at + 2);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 4 + i] as number;
      out[to + i] = d * (pair & 15) + m;
      out[to + 16 + i] = d * (pair >> 4) + m;
    }
  }
  return out;
}

/** d = max |x| / 127, q = round(x/d), halves away from zero. */
export function toQ80(values: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  return encodeBlocks(Float32Array.from(values), BLOCK_BYTES.q8_0, (block, view, at) => {
    const d = Math.fround(block.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / 127);
    view.setUint16(at, toHalf([d])[0] as number, true);
    const inverse = inverseOf(d);
    block.forEach((x, i) => {
      const quotient = Math.fround(x * inverse);
      view.setInt8(at + 2 + i, Math.sign(quotient) * Math.floor(Math.abs(quotient) + 0.5));
    });
  });
}

/** d = m / −8, where m is the value of the largest size; q = trunc(x/d + 8.5), at most 15. */
export function toQ40(values: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  return encodeBlocks(Float32Array.from(values), BLOCK_BYTES.q4_0, (block, view, at) => {
    const d = Math.fround(block.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0) / -8);
    view.setUint16(at, toHalf([d])[0] as number, true);
    const inverse = inverseOf(d);
    setPairs(view, at + 2, block, (x) => Math.fround(x * inverse + 8.5));
  });
}

/** m = min x, d = (max x − m) / 15; q = trunc((x − m)/d + 1/2), at most 15. */
export function toQ41(values: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  return encodeBlocks(Float32Array.from(values), BLOCK_BYTES.q4_1, (block, view, at) => {
    const m = Math.min(...block);
    const d = Math.fround(Math.fround(Math.max(...block) - m) / 15);
    view.setUint16(at, toHalf([d])[0] as number, true);
    view.setUint16(at + 2, toHalf([m])[0] as number, true);
    const inverse = inverseOf(d);
    setPairs(view, at + 4, block, (x) => Math.fround(Math.fround(Math.fround(x - m) * inverse) + 0.5));
  });
}

function inverseOf(d: number): number {
  return d === 0 ? 0 : Math.fround(1 / d);
}

function setPairs(view: DataView, at: number, block: Float32Array, quotient: (x: number) => number): void {
  const quantum = (i: number): number => Math.min(15, Math.trunc(quotient(block[i] as number)));
  for (let i = 0; i < 16; i++) view.setUint8(at + i, quantum(i) | (quantum(16 + i) << 4));
}

function encodeBlocks(
  values: Float32Array,
  blockBytes: number,
  encode: (block: Float32Array, view: DataView, at: number) => void,
): Uint8Array<ArrayBuffer> {
  const blocks = values.length / BLOCK_VALUES;
  const out = new Uint8Array(blocks * blockBytes);
  const view = new DataView(out.buffer);
  for (let i = 0; i < blocks; i++) {
    encode(values.subarray(i * BLOCK_VALUES, (i + 1) * BLOCK_VALUES), view, i * blockBytes);
  }
  return out;
}
