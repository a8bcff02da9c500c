/** Comparisons that fail a test: within a tolerance given as a formula, or bit for bit. */
import { expect } from 'vitest';
import type { Backend } from '../../src/kernels/engine.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { type KernelCase, type Output, POISON, runCases } from './harness.ts';

/**
 * About 32 roundings of float32 (2⁻²⁴ each): room for a chain of a few operations around a sum and for an
 * exponential good to a few units in the last place. Sums get their room from `terms`.
 */
export const RELATIVE = 2e-6;

/** Allowed error = relative·√terms·(largest expected magnitude) + absolute. */
export interface Tolerance {
  readonly relative?: number;
  /** Number of rounded terms that make up one element; 1 by default. */
  readonly terms?: number;
  readonly absolute?: number;
}

/** A case, and the tolerance of each slot that its kernels write. Every other slot must keep its values. */
export interface ConformanceCase extends KernelCase {
  readonly writes: Readonly<Record<string, Tolerance>>;
}

/** The same case where a slot is not handed to its kernels, which must leave it alone: a gradient that nobody asked for. */
export function without({ slots, build, writes }: ConformanceCase, name: string): ConformanceCase {
  const withoutName = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
  return { slots, build: (kernels, all) => build(kernels, withoutName(all)), writes: withoutName(writes) };
}

/** Fails where an element is off by more than the tolerance, naming the worst; poison must stay exactly poison. */
export function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  { relative = RELATIVE, terms = 1, absolute = 0 }: Tolerance = {},
  label = 'output',
): void {
  expect(actual.length, `${label}: number of elements`).toBe(expected.length);
  let scale = 0;
  for (let i = 0; i < expected.length; i++) {
    if (isMeasurable(expected[i])) scale = Math.max(scale, Math.abs(expected[i]));
  }
  const allowed = relative * Math.sqrt(terms) * scale + absolute;
  const worst = { index: -1, error: 0 };
  for (let i = 0; i < expected.length; i++) {
    const error = errorAt(actual[i], expected[i]);
    if (error > worst.error) Object.assign(worst, { index: i, error });
  }
  if (worst.error <= allowed) return;
  const values = `actual ${actual[worst.index]}, expected ${expected[worst.index]}`;
  expect.fail(`${label}[${worst.index}]: ${values}; off by ${worst.error}, allowed ${allowed} (scale ${scale})`);
}

function isMeasurable(value: number): boolean {
  return Number.isFinite(value) && value !== POISON;
}

/** Distance; infinite where one is not finite, or poison, and the other is not the same. */
function errorAt(actual: number, expected: number): number {
  if (Object.is(actual, expected)) return 0;
  if (!isMeasurable(expected) || !isMeasurable(actual)) return Number.POSITIVE_INFINITY;
  return Math.abs(actual - expected);
}

/** Fails unless the two arrays have the same type and the same bytes. */
export function expectSameBits(actual: Output, expected: Output, label = 'output'): void {
  expect(actual.constructor.name, `${label}: type`).toBe(expected.constructor.name);
  expect(actual.length, `${label}: number of elements`).toBe(expected.length);
  const bytesOf = ({ buffer, byteOffset, byteLength }: Output) => new Uint8Array(buffer, byteOffset, byteLength);
  const expectedBytes = bytesOf(expected);
  const byte = bytesOf(actual).findIndex((value, i) => value !== expectedBytes[i]);
  if (byte < 0) return;
  const index = Math.floor(byte / actual.BYTES_PER_ELEMENT);
  expect.fail(`${label}[${index}]: ${actual[index]} and ${expected[index]} have different bits`);
}

/** Fails where a backend's outputs leave the reference's tolerance, or where it touches another slot. */
export async function expectConformance(backend: Backend, ...cases: readonly ConformanceCase[]): Promise<void> {
  const actual = await runCases(backend, cases);
  const expected = await runCases(referenceBackend, cases);
  cases.forEach((test, index) => {
    for (const [name, slot] of Object.entries(test.slots)) {
      const label = `case ${index}, ${name} [${slot.shape.join(', ')}]`;
      if (test.writes[name] !== undefined) {
        expectClose(actual[index][name], expected[index][name], test.writes[name], label);
      } else {
        expectClose(actual[index][name], slot.values, { relative: 0 }, `${label}, which no kernel writes`);
      }
    }
  });
}

/** Rows [begin, end) of a row-major array. */
export function rowsOf(values: Output, width: number, begin: number, end = begin + 1): Output {
  return values.slice(begin * width, end * width);
}
