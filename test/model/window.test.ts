/** The intervals of layers with a window. */
import { expect, it } from 'vitest';
import { packBatch } from '../../src/model/batch.ts';
import { lastKeys } from '../../src/model/window.ts';

/** Keys that a row reads, in order. */
const keysOf = (intervals: Int32Array, row: number): number[] => {
  const [a, b, c, d] = intervals.subarray(4 * row) as unknown as [number, number, number, number];
  const range = (begin: number, end: number) => Array.from({ length: Math.max(0, end - begin) }, (_, i) => begin + i);
  return [...range(a, b), ...range(c, d)];
};

it.each([1, 2, 3, 5, 9, 40])('leave each row its last %d keys', (size) => {
  const prompt = Int32Array.of(1, 2, 3, 4, 5);
  const completions = [[6, 7, 8, 9, 1, 2, 3, 4], [5], [6, 7, 8]].map((tokens) => Int32Array.from(tokens));
  const { intervals, rowCount } = packBatch([
    { prompt, completions },
    { prompt: prompt.slice(2), completions },
  ]);
  const last = lastKeys(intervals, size);
  for (let row = 0; row < rowCount; row++) expect(keysOf(last, row)).toEqual(keysOf(intervals, row).slice(-size));
});
