import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duration, formatTick, formatValue } from '../format.ts';
import { domainOf, nearest, smoothed, ticksOf } from '../page/charts/scales.ts';

describe('ticks', () => {
  it.each([
    [{ low: 0, high: 1 }, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [{ low: 0, high: 0.3 }, 3, [0, 0.1, 0.2, 0.3]],
    [{ low: -0.07, high: 0 }, 3, [-0.05, -0.025, 0]],
    [{ low: 1, high: 600 }, 4, [200, 400, 600]],
  ])('of %j, about %i of them, are %j', (domain, count, values) => {
    expect(ticksOf(domain, count).values).toEqual(values);
  });

  it('of time are what a clock shows', () => {
    expect(ticksOf({ low: 0, high: 345 }, 4, true).values).toEqual([0, 120, 240]);
  });

  it('lie in the domain, in order, for any domain that is wider than rounding', () => {
    const real = fc.double({ min: -1e9, max: 1e9, noNaN: true });
    const width = fc.double({ min: 1e-6, max: 10, noNaN: true });
    fc.assert(
      fc.property(real, width, fc.integer({ min: 1, max: 10 }), (low, share, count) => {
        const size = share * Math.max(1e-3, Math.abs(low));
        const { values } = ticksOf({ low, high: low + size }, count);
        expect(values.length).toBeLessThanOrEqual(count + 2);
        for (const [i, value] of values.entries()) {
          expect(value).toBeGreaterThanOrEqual(low - 1e-3 * size);
          expect(value).toBeLessThanOrEqual(low + 1.001 * size);
          if (i > 0) expect(value).toBeGreaterThan(values[i - 1]!);
        }
      }),
    );
  });
});

describe('domains', () => {
  it.each([
    [[0.2, 0.9], { low: 0, high: 1 }],
    [[90, 98], { low: 90, high: 98 }],
    [[4, 4], { low: 2, high: 6 }],
    [[0, 0], { low: 0, high: 1 }],
    [[], { low: 0, high: 1 }],
  ])('of %j: %j', (values, domain) => {
    expect(domainOf(values, 4)).toEqual(domain);
  });
});

describe('smoothing', () => {
  it('weighs as TensorBoard does, each stage for itself', () => {
    // (0.5·0 + 0.5·4) / 0.5 = 4; then (0.5·2 + 0.5·8) / 0.75
    expect(smoothed([4, 8, 100], [0, 0, 1], 0.5)).toEqual([4, 5 / 0.75, 100]);
  });

  it('of weight 0 changes nothing', () => {
    expect(smoothed([1, 2, 3], [0, 0, 0], 0)).toEqual([1, 2, 3]);
  });
});

it('nearest finds the closest position', () => {
  const positions = [1, 5, 10];
  expect([-3, 1, 2, 3, 4, 8, 99].map((position) => positions[nearest(positions, position)])).toEqual([
    1, 1, 1, 5, 5, 10, 10,
  ]);
  expect(nearest([], 1)).toBe(-1);
});

describe('numbers for people', () => {
  it.each([
    [0.3831, 'share', '38.3 %'],
    [12345.6, 'count', '12,346'],
    [0.0123456, 'number', '0.0123'],
    [-0.854, 'number', '−0.854'],
    [4.82e-5, 'number', '4.82e−5'],
    [345, 'seconds', '5m 45s'],
  ] as const)('%d as a %s: %s', (value, kind, text) => {
    expect(formatValue(value, kind)).toBe(text);
  });

  it.each([
    [[0, 2.5e-4, 5e-4], 2.5e-4, 'number', ['0', '2.5e−4', '5e−4']],
    [[2.9996, 3], 2e-4, 'number', ['2.9996', '3.0000']],
    [[-0.05, -0.025, 0], 0.025, 'number', ['−0.050', '−0.025', '0']],
    [[0, 0.5, 1], 0.5, 'share', ['0 %', '50 %', '100 %']],
    [[0, 0.005], 0.005, 'share', ['0.0 %', '0.5 %']],
    [[5_000, 10_000], 5_000, 'count', ['5000', '10k']],
    [[250_000, 1_500_000], 250_000, 'count', ['0.25M', '1.5M']],
    [[0, 90, 120, 7200], 30, 'seconds', ['0', '1m 30s', '2m', '2h']],
  ] as const)('ticks %j, %d apart, as a %s: %j', (values, step, kind, texts) => {
    expect(values.map((value) => formatTick(value, step, kind))).toEqual(texts);
  });

  it.each([
    [0.42, '0.4s'],
    [59.6, '1m 00s'],
    [7383, '2h 03m'],
  ])('%d seconds: %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
