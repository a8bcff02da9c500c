/** Element types of GGUF files; kernels/blocks.ts and kernels/file_blocks.ts say what blocks hold. */
import { STORAGE, type Storage } from '../../../../src/kernels/storage.ts';

export interface GgufType {
  readonly name: string;
  /** As engines know it. */
  readonly storage: RealStorage;
  /** Values of a block, and its bytes. */
  readonly values: number;
  readonly bytes: number;
  /** Whole blocks. */
  decode(bytes: Uint8Array<ArrayBuffer>): Float32Array;
}

type RealStorage = Exclude<Storage, 'i32'>;

/** Looks into `STORAGE` when it is asked: in a page, the file that has it may be evaluated after this one. */
const type = (number: number, storage: RealStorage): readonly [number, GgufType] => {
  const found: GgufType = {
    name: storage.toUpperCase(),
    storage,
    get values() {
      return STORAGE[storage].values;
    },
    get bytes() {
      return STORAGE[storage].bytes;
    },
    decode: (bytes) => STORAGE[storage].decode(bytes),
  };
  return [number, found];
};

/** Those that are read, by ggml's number. */
export const GGUF_TYPES: ReadonlyMap<number, GgufType> = new Map<number, GgufType>([
  type(0, 'f32'),
  type(1, 'f16'),
  type(30, 'bf16'),
  type(2, 'q4_0'),
  type(3, 'q4_1'),
  type(8, 'q8_0'),
  type(6, 'q5_0'),
  type(7, 'q5_1'),
  type(12, 'q4_k'),
  type(13, 'q5_k'),
  type(14, 'q6_k'),
]);

/** The others, for messages. */
const OTHER_NAMES: ReadonlyMap<number, string> = new Map([
  [9, 'Q8_1'],
  [10, 'Q2_K'],
  [11, 'Q3_K'],
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
