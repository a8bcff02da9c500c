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
import { halfAt, halfValues, toHalf } from './half.ts';

/** Values of a block. */
export const BLOCK_VALUES = 32;
/** Bytes of one. */
export const BLOCK_BYTES = { q8_0: 34, q4_0: 18, q4_1: 20 } as const;

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
export function toQ80(given: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const values = floatsOf(given);
  const scales = new Float32Array(values.length / BLOCK_VALUES);
  for (let b = 0, at = 0; b < scales.length; b++, at += BLOCK_VALUES) {
    let most = 0;
    for (let i = at; i < at + BLOCK_VALUES; i++) most = Math.max(most, Math.abs(values[i] as number));
    scales[b] = most / 127;
  }
  return encodeBlocks(scales, BLOCK_BYTES.q8_0, (b, out, to) => {
    const inverse = inverseOf(scales[b] as number);
    for (let i = 0, at = b * BLOCK_VALUES; i < BLOCK_VALUES; i++) {
      const quotient = Math.fround((values[at + i] as number) * inverse);
      out[to + i] = quotient < 0 ? -Math.floor(0.5 - quotient) : Math.floor(0.5 + quotient);
    }
  });
}

/** d = m / −8, where m is the value of the largest size; q = trunc(x/d + 8.5), at most 15. */
export function toQ40(given: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const values = floatsOf(given);
  const scales = new Float32Array(values.length / BLOCK_VALUES);
  for (let b = 0, at = 0; b < scales.length; b++, at += BLOCK_VALUES) {
    let most = 0;
    for (let i = at; i < at + BLOCK_VALUES; i++) {
      if (Math.abs(values[i] as number) > Math.abs(most)) most = values[i] as number;
    }
    scales[b] = most / -8;
  }
  return encodeBlocks(scales, BLOCK_BYTES.q4_0, (b, out, to) => {
    const inverse = inverseOf(scales[b] as number);
    const quantum = (i: number): number => Math.min(15, Math.trunc(Math.fround((values[i] as number) * inverse + 8.5)));
    for (let i = 0, at = b * BLOCK_VALUES; i < 16; i++) out[to + i] = quantum(at + i) | (quantum(at + 16 + i) << 4);
  });
}

/** m = min x, d = (max x − m) / 15; q = trunc((x − m)/d + 1/2), at most 15. */
export function toQ41(given: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const values = floatsOf(given);
  const scales = new Float32Array(values.length / BLOCK_VALUES);
  const minima = scales.slice();
  for (let b = 0; b < scales.length; b++) {
    const block = values.subarray(b * BLOCK_VALUES, (b + 1) * BLOCK_VALUES);
    const m = Math.min(...block);
    minima[b] = m;
    scales[b] = Math.fround(Math.max(...block) - m) / 15;
  }
  const halves = toHalf(minima);
  return encodeBlocks(scales, BLOCK_BYTES.q4_1, (b, out, to) => {
    const [m, inverse] = [minima[b] as number, inverseOf(scales[b] as number)];
    const quantum = (i: number): number => {
      const quotient = Math.fround(Math.fround((values[i] as number) - m) * inverse);
      return Math.min(15, Math.trunc(Math.fround(quotient + 0.5)));
    };
    setHalf(out, to, halves[b] as number);
    for (let i = 0, at = b * BLOCK_VALUES; i < 16; i++) {
      out[to + 2 + i] = quantum(at + i) | (quantum(at + 16 + i) << 4);
    }
  });
}

function floatsOf(values: ArrayLike<number>): Float32Array {
  return values instanceof Float32Array ? values : Float32Array.from(values);
}

function inverseOf(d: number): number {
  return d === 0 ? 0 : Math.fround(1 / d);
}

function setHalf(out: Uint8Array, at: number, half: number): void {
  out[at] = half & 255;
  out[at + 1] = half >> 8;
}

/** @param encode  writes what follows the scale of block b, from `to` on */
function encodeBlocks(
  scales: Float32Array,
  blockBytes: number,
  encode: (b: number, out: Uint8Array, to: number) => void,
): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(scales.length * blockBytes);
  const halves = toHalf(scales);
  for (let b = 0, at = 0; b < scales.length; b++, at += blockBytes) {
    setHalf(out, at, halves[b] as number);
    encode(b, out, at + 2);
  }
  return out;
}
