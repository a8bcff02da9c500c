/** Deterministic test data, all of it exactly representable in float32 so that every backend reads the same numbers. */
import { rngFor } from '../../src/kernels/philox.ts';

/** Number of elements of a shape. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Uniform in [low, high). */
export function uniforms(shape: readonly number[], seed: number, low = 0, high = 1): Float64Array {
  const rng = rngFor(`uniforms|${seed}`);
  return new Float64Array(sizeOf(shape)).map(() => Math.fround(low + (high - low) * rng.float()));
}

/** Standard normal, by Box and Muller. */
export function normals(shape: readonly number[], seed: number, deviation = 1): Float64Array {
  const rng = rngFor(`normals|${seed}`);
  return new Float64Array(sizeOf(shape)).map(() => {
    const radius = Math.sqrt(-2 * Math.log(1 - rng.float()));
    return Math.fround(deviation * radius * Math.cos(2 * Math.PI * rng.float()));
  });
}

/** Uniform integers in [0, below). */
export function integers(shape: readonly number[], seed: number, below: number): Int32Array {
  const rng = rngFor(`integers|${seed}`);
  return new Int32Array(sizeOf(shape)).map(() => rng.int(0, below - 1));
}

/** 0, 1, …, length − 1. */
export function consecutive(length: number): Int32Array {
  return new Int32Array(length).map((_, index) => index);
}

/** Position of the first element of each item, and the end of the last: [sizes + 1]. */
export function offsetsOf(sizes: readonly number[]): Int32Array {
  const offsets = new Int32Array(sizes.length + 1);
  sizes.forEach((size, index) => {
    offsets[index + 1] = offsets[index] + size;
  });
  return offsets;
}
