/** How the elements of an arena are kept in memory, whatever they are computed in: one table for all backends. */
import { fromHalf } from './half.ts';

/** What arenas hold: numbers, or indices. */
export type DType = 'real' | 'int';

export const STORAGE = {
  i32: { dtype: 'int', elementBytes: 4 },
  f32: { dtype: 'real', elementBytes: 4 },
  f16: { dtype: 'real', elementBytes: 2 },
} as const satisfies Record<string, { readonly dtype: DType; readonly elementBytes: number }>;

export type Storage = keyof typeof STORAGE;

/** How a run keeps what may be rounded, as its config says. */
export type StorageDtype = 'float32' | 'float16';

export const STORAGE_OF: Readonly<Record<StorageDtype, Storage>> = { float32: 'f32', float16: 'f16' };

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

/** Elements in all. */
export function lengthOf(values: ArrayLike<number> | StoredValues): number {
  return isStored(values) ? values.bytes.length / STORAGE[values.storage].elementBytes : values.length;
}

/** The numbers of stored elements; a view of the bytes where they are numbers of the host. */
export function numbersOf(values: ArrayLike<number> | StoredValues): ArrayLike<number> {
  if (!isStored(values)) return values;
  const { storage, bytes } = values;
  const { elementBytes } = STORAGE[storage];
  const isAligned = bytes.byteOffset % elementBytes === 0;
  const { buffer, byteOffset, byteLength } = isAligned ? bytes : bytes.slice();
  const length = Math.floor(byteLength / elementBytes);
  if (storage === 'i32') return new Int32Array(buffer, byteOffset, length);
  if (storage === 'f32') return new Float32Array(buffer, byteOffset, length);
  return fromHalf(new Uint16Array(buffer, byteOffset, length));
}
