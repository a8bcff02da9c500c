/**
 * Element types in which a GGUF file is written, by their names on the command line; `gguf_blocks.ts` reads them.
 *
 *   f32
 *   f16, bf16  rounded to the nearest, ties to even
 *   q8_0       blocks of 32: d = max |x| / 127, q = round(x/d), halves away from zero, with d as it is before it is
 *              rounded to f16, as ggml has it
 */
import { toHalf } from '../../kernels/half.ts';

export interface GgufEncoder {
  /** ggml's number of the type, and llama.cpp's of a file in which most tensors have it. */
  readonly type: number;
  readonly fileType: number;
  /** Whole blocks of finite values. */
  encode(values: Float32Array): Uint8Array<ArrayBuffer>;
  /** Most by which a value changes, by the largest size in its block. */
  roundOff(largest: number): number;
}

const BLOCK = 32;
const Q8_0_BYTES = 34;
/** Half of the smallest float16 above 0. */
const HALF_OF_LEAST = 2 ** -25;

export const GGUF_ENCODERS = {
  f32: { type: 0, fileType: 0, encode: (values) => bytesOf(values.slice()), roundOff: () => 0 },
  f16: {
    type: 1,
    fileType: 1,
    encode: (values) => bytesOf(toHalf(values)),
    roundOff: (largest) => largest * 2 ** -11 + HALF_OF_LEAST,
  },
  bf16: {
    type: 30,
    fileType: 32,
    encode: (values) => bytesOf(toBfloat(values)),
    roundOff: (largest) => largest * 2 ** -8,
  },
  q8_0: {
    type: 8,
    fileType: 7,
    encode: encodeQ80,
    roundOff: (largest) => largest * (0.5 / 127 + 2 ** -11) + 127 * HALF_OF_LEAST,
  },
} as const satisfies Readonly<Record<string, GgufEncoder>>;

export type GgufDtype = keyof typeof GGUF_ENCODERS;

/** Little-endian, as all machines are that this package runs on. */
function bytesOf({ buffer }: { readonly buffer: ArrayBuffer }): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}

/** The upper half of float32. */
function toBfloat(values: Float32Array): Uint16Array<ArrayBuffer> {
  const bits = new Uint32Array(Float32Array.from(values).buffer);
  return Uint16Array.from(bits, (each) => (each + 0x7fff + ((each >>> 16) & 1)) >>> 16);
}

function encodeQ80(values: Float32Array): Uint8Array<ArrayBuffer> {
  const scales = Float32Array.from({ length: values.length / BLOCK }, (_, block) => {
    let largest = 0;
    for (let i = block * BLOCK; i < (block + 1) * BLOCK; i++)
      largest = Math.max(largest, Math.abs(values[i] as number));
    return largest / 127;
  });
  const halves = toHalf(scales);
  const out = new Uint8Array(scales.length * Q8_0_BYTES);
  const view = new DataView(out.buffer);
  scales.forEach((scale, block) => {
    const at = block * Q8_0_BYTES;
    view.setUint16(at, halves[block] as number, true);
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    for (let i = 0; i < BLOCK; i++) {
      const quotient = Math.fround((values[block * BLOCK + i] as number) * inverse);
      view.setInt8(at + 2 + i, Math.sign(quotient) * Math.floor(Math.abs(quotient) + 0.5));
    }
  });
  return out;
}
