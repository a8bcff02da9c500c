/** Matrices in 4 bits, as onnxruntime reads them: the values of q4_0, in another order of nibbles. */
import { expect, it } from 'vitest';
import { STORAGE } from '../../../../src/kernels/storage.ts';
import { normals } from '../../../../test/support/data.ts';
import { fourBits, ofFourBits } from '../../model/onnx/four_bits.ts';

it('has the values that q4_0 has of the same blocks', () => {
  const values = Float32Array.from(normals([5 * 32], 1));
  const { quanta, scales } = fourBits(values);
  expect([quanta.length, scales.length]).toEqual([5 * 16, 5]);
  expect(ofFourBits(quanta, scales)).toEqual(STORAGE.q4_0.decode(STORAGE.q4_0.encode(values)));
});

it('has the earlier value of two in the low half of a byte, and 8 for 0', () => {
  const values = Float32Array.from({ length: 32 }, (_, i) => (i === 0 ? -8 : i === 1 ? 3 : 0));
  const { quanta, scales } = fourBits(values);
  expect([...quanta.slice(0, 2)]).toEqual([0 | (11 << 4), 8 | (8 << 4)]);
  expect([...scales]).toEqual([1]);
});
