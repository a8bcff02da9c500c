/** Element types in which a GGUF file is written, by their names on the command line; `gguf_blocks.ts` reads them. */
import { STORAGE } from '../../../../src/kernels/storage.ts';

export interface GgufEncoder {
  /** ggml's number of the type, and llama.cpp's of a file in which most tensors have it. */
  readonly type: number;
  readonly fileType: number;
  /** Whole blocks of finite values. */
  encode(values: Float32Array): Uint8Array<ArrayBuffer>;
  /** Most by which a value changes, by the largest size in its block. */
  roundOff(largest: number): number;
}

/** Half of the smallest float16 above 0. */
const HALF_OF_LEAST = 2 ** -25;

export const GGUF_ENCODERS = {
  f32: { type: 0, fileType: 0, encode: STORAGE.f32.encode, roundOff: () => 0 },
  f16: {
    type: 1,
    fileType: 1,
    encode: STORAGE.f16.encode,
    roundOff: (largest) => largest * 2 ** -11 + HALF_OF_LEAST,
  },
  bf16: {
    type: 30,
    fileType: 32,
    encode: STORAGE.bf16.encode,
    roundOff: (largest) => largest * 2 ** -8,
  },
  q4_0: {
    type: 2,
    fileType: 2,
    encode: STORAGE.q4_0.encode,
    // Quanta go from −8 to 7: the largest value decides the side of the 8, and one of its size on the other is a step short.
    roundOff: (largest) => largest * (1 / 8 + 2 ** -11) + 8 * HALF_OF_LEAST,
  },
  q8_0: {
    type: 8,
    fileType: 7,
    encode: STORAGE.q8_0.encode,
    roundOff: (largest) => largest * (0.5 / 127 + 2 ** -11) + 127 * HALF_OF_LEAST,
  },
} as const satisfies Readonly<Record<string, GgufEncoder>>;

export type GgufDtype = keyof typeof GGUF_ENCODERS;
