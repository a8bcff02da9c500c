/** How the elements of an arena are kept in memory, whatever they are computed in: one table for all backends. */
import { fromBfloat, toBfloat } from './bfloat.ts';
import { BLOCK_BYTES, BLOCK_VALUES, fromQ40, fromQ41, fromQ80, toQ40, toQ41, toQ80 } from './blocks.ts';
import { FILE_BLOCKS, type FileBlocks } from './file_blocks.ts';
import { fromHalf, toHalf } from './half.ts';

/** What arenas hold: numbers, or indices. */
export type DType = 'real' | 'int';

interface StorageType {
  readonly dtype: DType;
  /** Values that are kept together, and bytes of them. */
  readonly values: number;
  readonly bytes: number;
  /** Numbers of whole blocks; a view of the bytes where they are numbers of the host. */
  decode(bytes: Uint8Array<ArrayBuffer>): Int32Array | Float32Array;
  /** Whole blocks of finite numbers, each rounded to what is kept. @throws RangeError for blocks that only files have */
  encode(values: ArrayLike<number>): Uint8Array<ArrayBuffer>;
}

export const STORAGE = {
  i32: single(
    'int',
    4,
    (bytes) => wordsOf(Int32Array, bytes),
    (values) => Int32Array.from(values),
  ),
  f32: single(
    'real',
    4,
    (bytes) => wordsOf(Float32Array, bytes),
    (values) => new Float32Array(values),
  ),
  f16: single('real', 2, (bytes) => fromHalf(wordsOf(Uint16Array, bytes)), toHalf),
  bf16: single('real', 2, (bytes) => fromBfloat(wordsOf(Uint16Array, bytes)), toBfloat),
  q8_0: { dtype: 'real', values: BLOCK_VALUES, bytes: BLOCK_BYTES.q8_0, decode: fromQ80, encode: toQ80 },
  q4_0: { dtype: 'real', values: BLOCK_VALUES, bytes: BLOCK_BYTES.q4_0, decode: fromQ40, encode: toQ40 },
  q4_1: { dtype: 'real', values: BLOCK_VALUES, bytes: BLOCK_BYTES.q4_1, decode: fromQ41, encode: toQ41 },
  q5_0: ofFiles(FILE_BLOCKS.q5_0),
  q5_1: ofFiles(FILE_BLOCKS.q5_1),
  q4_k: ofFiles(FILE_BLOCKS.q4_k),
  q5_k: ofFiles(FILE_BLOCKS.q5_k),
  q6_k: ofFiles(FILE_BLOCKS.q6_k),
} as const satisfies Record<string, StorageType>;

export type Storage = keyof typeof STORAGE;

/** How a run keeps what may be rounded, as its config says. */
export type StorageDtype = 'float32' | 'float16' | 'bfloat16';

export const STORAGE_OF: Readonly<Record<StorageDtype, Storage>> = { float32: 'f32', float16: 'f16', bfloat16: 'bf16' };

/** Types of matrices that are written once and only read: those that numbers are rounded to, and blocks that files have. */
export const ROUNDED_STORAGES = ['bf16', 'f16', 'q8_0', 'q4_0', 'q4_1'] as const satisfies readonly Storage[];
export const FILE_STORAGES = ['q5_0', 'q5_1', 'q4_k', 'q5_k', 'q6_k'] as const satisfies readonly Storage[];
export const FROZEN_STORAGES: readonly Storage[] = [...ROUNDED_STORAGES, ...FILE_STORAGES];

/** Whether it is one of blocks that only files have. */
export function isOfFiles(storage: Storage): boolean {
  return (FILE_STORAGES as readonly Storage[]).includes(storage);
}

/** How an arena is kept that does not say. */
export const PLAIN: Readonly<Record<DType, Storage>> = { real: 'f32', int: 'i32' };

/** Elements as they are kept. */
export interface StoredValues {
  readonly storage: Storage;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function isStored(values: ArrayLike<number> | StoredValues): values is StoredValues {
  return 'storage' in values;
}

/** Bytes of a number of elements, which are whole blocks. */
export function bytesOf(storage: Storage, elements: number): number {
  const { values, bytes } = STORAGE[storage];
  return Math.ceil(elements / values) * bytes;
}

/** Elements in all. */
export function lengthOf(given: ArrayLike<number> | StoredValues): number {
  if (!isStored(given)) return given.length;
  const { values, bytes } = STORAGE[given.storage];
  return (given.bytes.length / bytes) * values;
}

/** The numbers of stored elements; a view of the bytes where they are numbers of the host. */
export function numbersOf(given: ArrayLike<number> | StoredValues): ArrayLike<number> {
  return isStored(given) ? STORAGE[given.storage].decode(given.bytes) : given;
}

/** Elements as an arena keeps them: the very bytes where they come as it does. */
export function storedAs(storage: Storage, given: ArrayLike<number> | StoredValues): Uint8Array<ArrayBuffer> {
  return isStored(given) && given.storage === storage ? given.bytes : STORAGE[storage].encode(numbersOf(given));
}

/** Types whose elements are not in blocks: each is a number or the bits of one. */
function single<Type extends DType, Numbers extends Int32Array | Float32Array>(
  dtype: Type,
  bytes: number,
  decode: (bytes: Uint8Array<ArrayBuffer>) => Numbers,
  encode: (values: ArrayLike<number>) => { readonly buffer: ArrayBuffer },
) {
  return {
    dtype,
    values: 1,
    bytes,
    decode,
    encode: (values: ArrayLike<number>) => new Uint8Array(encode(values).buffer),
  };
}

/** Blocks that are only read. */
function ofFiles(blocks: FileBlocks) {
  const encode = (): never => {
    throw new RangeError('numbers are not rounded to blocks of this type; they come from files as they are');
  };
  return { dtype: 'real' as const, ...blocks, encode };
}

/** Little-endian, as all machines are that this package runs on; a view where the bytes are aligned. */
function wordsOf<Words>(
  array: {
    new (buffer: ArrayBuffer, byteOffset: number, length: number): Words;
    readonly BYTES_PER_ELEMENT: number;
  },
  bytes: Uint8Array<ArrayBuffer>,
): Words {
  const width = array.BYTES_PER_ELEMENT;
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  return new array(buffer, byteOffset, Math.floor(byteLength / width));
}
