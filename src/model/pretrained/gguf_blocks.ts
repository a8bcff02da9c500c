/**
 * Element types of GGUF files, widened to float32. Quantised ones come in blocks of 32 values:
 *
 *   Q8_0  f16 d, 32 × i8          x = d·q
 *   Q4_0  f16 d, 16 bytes         x = d·(q − 8)     low halves are the first 16 values, high halves the others
 *   Q4_1  f16 d, f16 m, 16 bytes  x = d·q + m
 *
 * Each value is rounded once to float32, as in ggml's own dequantisation.
 */
import { halfValues } from '../../kernels/half.ts';
import { decodeElements } from '../safetensors.ts';

export interface GgufType {
  readonly name: string;
  /** Values of a block, and its bytes. */
  readonly values: number;
  readonly bytes: number;
  /** Whole blocks. */
  decode(bytes: Uint8Array): Float32Array;
}

const BLOCK = 32;

/** Those that are read, by ggml's number. */
export const GGUF_TYPES: ReadonlyMap<number, GgufType> = new Map([
  [0, { name: 'F32', values: 1, bytes: 4, decode: (bytes) => decodeElements('F32', bytes) as Float32Array }],
  [1, { name: 'F16', values: 1, bytes: 2, decode: (bytes) => decodeElements('F16', bytes) as Float32Array }],
  [30, { name: 'BF16', values: 1, bytes: 2, decode: (bytes) => decodeElements('BF16', bytes) as Float32Array }],
  [2, { name: 'Q4_0', values: BLOCK, bytes: 18, decode: decodeQ40 }],
  [3, { name: 'Q4_1', values: BLOCK, bytes: 20, decode: decodeQ41 }],
  [8, { name: 'Q8_0', values: BLOCK, bytes: 34, decode: decodeQ80 }],
]);

/** The others, for messages. */
const OTHER_NAMES: ReadonlyMap<number, string> = new Map([
  [6, 'Q5_0'],
  [7, 'Q5_1'],
  [9, 'Q8_1'],
  [10, 'Q2_K'],
  [11, 'Q3_K'],
  [12, 'Q4_K'],
  [13, 'Q5_K'],
  [14, 'Q6_K'],
  [15, 'Q8_K'],
  [16, 'IQ2_XXS'],
  [17, 'IQ2_XS'],
  [18, 'IQ3_XXS'],
  [19, 'IQ1_S'],
  [20, 'IQ4_NL'],
  [21, 'IQ3_S'],
  [22, 'IQ2_S'],
  [23, 'IQ4_XS'],
  [28, 'F64'],
  [29, 'IQ1_M'],
  [34, 'TQ1_0'],
  [35, 'TQ2_0'],
  [39, 'MXFP4'],
]);

export function ggufTypeName(type: number): string {
  return GGUF_TYPES.get(type)?.name ?? OTHER_NAMES.get(type) ?? `number ${type}`;
}

/** f16 at a byte offset that may be odd. @param halves  the value of each bit pattern */
function halfAt(halves: Float32Array, bytes: Uint8Array, at: number): number {
  return halves[(bytes[at] as number) | ((bytes[at + 1] as number) << 8)] as number;
}

function decodeQ80(bytes: Uint8Array): Float32Array {
  const halves = halfValues();
  const out = new Float32Array((bytes.length / 34) * BLOCK);
  for (let at = 0, to = 0; at < bytes.length; at += 34, to += BLOCK) {
    const d = halfAt(halves, bytes, at);
    for (let i = 0; i < BLOCK; i++) out[to + i] = d * (((bytes[at + 2 + i] as number) << 24) >> 24);
  }
  return out;
}

function decodeQ40(bytes: Uint8Array): Float32Array {
  const halves = halfValues();
  const out = new Float32Array((bytes.length / 18) * BLOCK);
  for (let at = 0, to = 0; at < bytes.length; at += 18, to += BLOCK) {
    const d = halfAt(halves, bytes, at);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 2 + i] as number;
      out[to + i] = d * ((pair & 15) - 8);
      out[to + 16 + i] = d * ((pair >> 4) - 8);
    }
  }
  return out;
}

function decodeQ41(bytes: Uint8Array): Float32Array {
  const halves = halfValues();
  const out = new Float32Array((bytes.length / 20) * BLOCK);
  for (let at = 0, to = 0; at < bytes.length; at += 20, to += BLOCK) {
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
