/** How arenas are kept: what a backend does not have is refused, and stored elements go in as they are. */
import { describe, expect, it } from 'vitest';
import { toHalf } from '../../src/kernels/half.ts';
import { ArenaBuilder, type MemoryPlan, requireStorages } from '../../src/kernels/memory.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { lengthOf, numbersOf, type StoredValues } from '../../src/kernels/storage.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';

const VALUES = [0, 1.5, -2.25, 1 / 3, 65504];

function bytesAt(offset: number, { buffer }: { readonly buffer: ArrayBuffer }): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(offset + buffer.byteLength);
  bytes.set(new Uint8Array(buffer), offset);
  return bytes.subarray(offset);
}

const stored = (offset: number): readonly StoredValues[] => [
  { storage: 'f32', bytes: bytesAt(offset, Float32Array.from(VALUES)) },
  { storage: 'f16', bytes: bytesAt(offset, toHalf(VALUES)) },
  { storage: 'i32', bytes: bytesAt(offset, Int32Array.from([3, -1, 2 ** 30])) },
];

it.each([0, 1, 3])('stored elements are read wherever their bytes begin: %i', (offset) => {
  const [whole, half, ints] = stored(offset);
  expect([...(numbersOf(whole) as Float32Array)]).toEqual(VALUES.map(Math.fround));
  expect([...(numbersOf(half) as Float32Array)]).toEqual([0, 1.5, -2.25, 0.333251953125, 65504]);
  expect([...(numbersOf(ints) as Int32Array)]).toEqual([3, -1, 2 ** 30]);
  expect([whole, half, ints].map(lengthOf)).toEqual([5, 5, 3]);
  expect(numbersOf(VALUES)).toBe(VALUES);
});

describe('an arena of float16', () => {
  const arena = new ArenaBuilder('halves', 'real', 'weights', { storage: 'f16' });
  const slot = arena.slot([8]);
  const limits = { rows: 8, context: 8, vocabSize: 8, width: 8, headDim: 8 };
  const plan: MemoryPlan = { arenas: [arena.spec()], matrices: [], limits };

  it('is refused by a backend that keeps none', () => {
    const refusal = "arena 'halves' is planned as f16; the tfjs backend keeps f32, i32.";
    expect(() => requireStorages(plan, 'tfjs', ['f32', 'i32'])).toThrow(refusal);
  });

  it('is for matrices, tables, keys and values alone on wasm', async () => {
    const engine = await (await wasmBackend({ inline: true })).open(plan);
    const refusal =
      "a slot of arena 'halves' is kept as f16, which kernels read in matrices of the plan, in embeddings and (bf16) in keys and values alone.";
    expect(() => engine.record('add', (kernels) => kernels.add({ x: slot, out: slot }))).toThrow(refusal);
    await engine.close();
  });

  it('is float64 in the specification, which takes stored elements as numbers', async () => {
    const engine = await referenceBackend.open(plan);
    engine.write(slot, { storage: 'f16', bytes: new Uint8Array(toHalf(VALUES).buffer) }, 2);
    expect([...(await engine.read(slot))]).toEqual([0, 0, 0, 1.5, -2.25, 0.333251953125, 65504, 0]);
    await engine.close();
  });
});

it('float32 as stored is what its numbers are, on wasm', async () => {
  const arena = new ArenaBuilder('reals', 'real', 'weights');
  const slot = arena.slot([8]);
  const limits = { rows: 8, context: 8, vocabSize: 8, width: 8, headDim: 8 };
  const engine = await (await wasmBackend({ inline: true })).open({ arenas: [arena.spec()], matrices: [], limits });
  const [whole] = stored(1);
  engine.write(slot, whole, 3);
  expect([...(await engine.read(slot))]).toEqual([0, 0, 0, ...VALUES.map(Math.fround)]);
  expect(() => engine.write(slot, whole, 4)).toThrow('5 values at 4 do not fit');
  await engine.close();
});
