/** Blocks that only files have, made without a file. */
import { bytesOf, STORAGE, type Storage, type StoredValues } from '../../src/kernels/storage.ts';

/** Where the scales of a block lie, and the bits of float16 that they are here. */
const SCALES: Readonly<Record<string, readonly (readonly [at: number, bits: number])[]>> = {
  q5_0: [[0, 0x1c00]],
  q5_1: [
    [0, 0x1c00],
    [2, 0x2c00],
  ],
  q4_k: [
    [0, 0x0801],
    [2, 0x1801],
  ],
  q5_k: [
    [0, 0x0403],
    [2, 0x1801],
  ],
  q6_k: [[208, 0x0201]],
};

/** Any bytes, with scales of either sign that make values of a usual size. */
export function fileBlocks(type: Storage, length: number): StoredValues {
  const { bytes: each } = STORAGE[type];
  const bytes = Uint8Array.from({ length: bytesOf(type, length) }, (_, i) => Math.imul(i + 7, 2_654_435_761) >>> 19);
  for (let block = 0; block < bytes.length; block += each) {
    for (const [at, bits] of SCALES[type] ?? []) {
      bytes[block + at] = bits & 255;
      bytes[block + at + 1] = (bits >> 8) | ((bytes[block + at + 1] as number) & 128);
    }
  }
  return { storage: type, bytes };
}
