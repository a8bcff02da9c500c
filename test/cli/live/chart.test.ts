import { describe, expect, it } from 'vitest';
import { type Curve, draw, EMPTY_CURVE, withPoint } from '../../../src/cli/live/chart.ts';

function curveOf(values: readonly (number | undefined)[]): Curve {
  return values.reduce<Curve>(
    (curve, value, step) => (value === undefined ? curve : withPoint(curve, step, value)),
    EMPTY_CURVE,
  );
}

describe('draw', () => {
  it('spans all columns, from the lowest block to the full height', () => {
    const chart = draw(curveOf([0, 1, 2, 3, 4, 5, 6, 7]), { columns: 8, rows: 1, step: 7 });
    expect(chart).toEqual({ rows: ['▁▂▃▄▅▆▇█'], low: 0, high: 7 });
  });

  it('stacks rows, and fills the gap between two values with a line', () => {
    const chart = draw(curveOf([0, undefined, undefined, 15]), { columns: 4, rows: 2, step: 3 });
    expect(chart?.rows).toEqual(['  ▃█', '▁▆██']);
  });

  it('leaves what is not known yet empty', () => {
    expect(draw(curveOf([1, 2]), { columns: 6, rows: 1, step: 5 })?.rows).toEqual(['▁█    ']);
    expect(draw(EMPTY_CURVE, { columns: 6, rows: 1, step: 5 })).toBeUndefined();
  });

  it('averages what falls on one column', () => {
    const { rows, low, high } = draw(curveOf([0, 0, 4, 6]), { columns: 2, rows: 1, step: 3 })!;
    expect({ rows, low, high }).toEqual({ rows: ['▁█'], low: 0, high: 5 });
  });
});

it('a curve of 100,000 steps stays small and keeps its means', () => {
  let curve = EMPTY_CURVE;
  for (let step = 0; step < 100_000; step++) curve = withPoint(curve, step, step < 50_000 ? 1 : 3);
  expect(curve.buckets.length).toBeLessThanOrEqual(128);
  const { low, high } = draw(curve, { columns: 20, rows: 1, step: 99_999 })!;
  expect([low, high]).toEqual([1, 3]);
});
