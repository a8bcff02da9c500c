import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantile, slope, summarize } from '../../../../bench/statistics.mjs';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 });

describe('quantile', () => {
  it('is the middle value of an odd count, and the mean of the two middle ones of an even count', () => {
    expect(quantile([3, 1, 2], 0.5)).toBe(2);
    expect(quantile([4, 1, 2, 3], 0.5)).toBe(2.5);
  });

  it('sorts by value, not as text', () => {
    expect(quantile([10, 9, 100], 0.5)).toBe(10);
  });

  it('interpolates between neighbours', () => {
    expect(quantile([0, 10, 20, 30], 0.25)).toBeCloseTo(7.5, 12);
    expect(quantile([0, 10], 0.9)).toBeCloseTo(9, 12);
  });

  it('is the smallest value at 0 and the largest at 1', () => {
    expect(quantile([5, -1, 7], 0)).toBe(-1);
    expect(quantile([5, -1, 7], 1)).toBe(7);
  });

  it('leaves its input alone', () => {
    const values = [3, 1, 2];
    quantile(values, 0.5);
    expect(values).toEqual([3, 1, 2]);
  });

  it('refuses an empty list', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});

describe('summarize', () => {
  it('gives median, quartiles and count', () => {
    expect(summarize([1, 2, 3, 4, 5])).toEqual({ median: 3, low: 2, high: 4, repeats: 5 });
  });

  it('is not moved by one slow repeat', () => {
    expect(summarize([1, 1, 1, 1, 1000])).toEqual({ median: 1, low: 1, high: 1, repeats: 5 });
  });

  it('orders low, median and high, inside the range of the values', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1 }), (values) => {
        const { low, median, high } = summarize(values);
        expect(low).toBeLessThanOrEqual(median);
        expect(median).toBeLessThanOrEqual(high);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values));
        expect(high).toBeLessThanOrEqual(Math.max(...values));
      }),
    );
  });
});

it('the slope of points on a line is the line’s, whatever their order', () => {
  expect(
    slope([
      [3, 7],
      [0, 1],
      [5, 11],
    ]),
  ).toBeCloseTo(2, 12);
  expect(
    slope([
      [0, 1],
      [1, 0],
      [2, 1],
    ]),
  ).toBeCloseTo(0, 12);
});
