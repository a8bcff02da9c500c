import { describe, expect, it } from 'vitest';
import { type Curve, draw, EMPTY_CURVE, withPoint } from '../../display/live/chart.ts';

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

describe('a second curve', () => {
  it('is a line on the same axis, in halves of a row', () => {
    const chart = draw(curveOf([0, 5, 10]), { columns: 3, rows: 2, step: 2 }, { line: curveOf([0, 4, 8]) });
    expect(chart).toEqual({ rows: [' ▁█', '▁██'], line: ['  ─', '─▔ '], low: 0, high: 10 });
  });

  it('widens the axis where it runs beyond the first', () => {
    const chart = draw(curveOf([4, 6]), { columns: 2, rows: 1, step: 1 }, { line: curveOf([2, 8]) });
    expect(chart).toMatchObject({ rows: ['▃▆'], line: ['─▔'], low: 2, high: 8 });
  });
});

it('spans at least the range that is asked for', () => {
  const chart = draw(curveOf([4, 5]), { columns: 2, rows: 1, step: 1 }, { range: { low: 0, high: 10 } });
  expect(chart).toMatchObject({ rows: ['▄▅'], low: 0, high: 10 });
  expect(draw(curveOf([4]), { columns: 1, rows: 1, step: 0 }, { range: { low: 4, high: 4 } })?.rows).toEqual(['▅']);
});

it('a curve of 100,000 steps stays small and keeps its means', () => {
  let curve = EMPTY_CURVE;
  for (let step = 0; step < 100_000; step++) curve = withPoint(curve, step, step < 50_000 ? 1 : 3);
  expect(curve.buckets.length).toBeLessThanOrEqual(128);
  const { low, high } = draw(curve, { columns: 20, rows: 1, step: 99_999 })!;
  expect([low, high]).toEqual([1, 3]);
});
