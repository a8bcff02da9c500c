/**
 * Matrices in 4 bits, as onnxruntime's operator MatMulNBits reads them: of each row, blocks of 32 values, quanta from 0 to 15
 * around 8, two to a byte, the earlier one in the low half; and a scale for each block.
 *
 *   y[n] = Σₖ x[k] · (q[n, k] − 8) · scale[n, k / 32]
 *
 * Quanta and scales are those of q4_0 (`kernels/storage.ts`), which has other halves in a byte.
 *
 * @see https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits
 */
import { fromHalf } from '../../../../src/kernels/half.ts';
import { STORAGE } from '../../../../src/kernels/storage.ts';

/** Values of a block, and bytes of its quanta. */
export const BLOCK = 32;
export const BLOCK_BYTES = BLOCK / 2;
/** The quantum of 0, where a file says none. */
const ZERO = 8;
/** In q4_0: the scale in float16, then the quanta. */
const STORED_BYTES = BLOCK_BYTES + 2;

/** What the two tensors of a matrix are called after it. */
export const QUANTA = '_Q4';
export const SCALES = '_scales';

/** Quanta and scales of whole blocks. */
export function fourBits(values: Float32Array): { readonly quanta: Uint8Array; readonly scales: Float32Array } {
  const stored = STORAGE.q4_0.encode(values);
  const blocks = values.length / BLOCK;
  const quanta = new Uint8Array(blocks * BLOCK_BYTES);
  const halves = new Uint16Array(blocks);
  for (let block = 0; block < blocks; block++) {
    const from = block * STORED_BYTES;
    halves[block] = (stored[from] as number) | ((stored[from + 1] as number) << 8);
    const own = stored.subarray(from + 2, from + STORED_BYTES);
    // There, byte i has the values i and i + 16.
    const at = (i: number): number =>
      i < BLOCK_BYTES ? (own[i] as number) & 15 : (own[i - BLOCK_BYTES] as number) >> 4;
    for (let i = 0; i < BLOCK_BYTES; i++) quanta[block * BLOCK_BYTES + i] = at(2 * i) | (at(2 * i + 1) << 4);
  }
  return { quanta, scales: fromHalf(halves) };
}

/** The values again. */
export function ofFourBits(quanta: Uint8Array, scales: Float32Array): Float32Array {
  return Float32Array.from({ length: 2 * quanta.length }, (_, i) => {
    const byte = quanta[i >> 1] as number;
    const quantum = i % 2 === 0 ? byte & 15 : byte >> 4;
    return (quantum - ZERO) * (scales[Math.floor(i / BLOCK)] as number);
  });
}
