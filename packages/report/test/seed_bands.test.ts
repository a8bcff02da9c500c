import { describe, expect, it } from 'vitest';
import { acrossSeeds, meanInterval, type SeedCurve } from '../page/charts/seed_bands.ts';

const seed = (steps: readonly number[], values: readonly (number | null)[], stage = 0): SeedCurve => ({
  track: {
    stage: steps.map(() => stage),
    step: steps,
    time: steps.map((s) => 2 * s),
    tokens: steps.map((s) => 10 * s),
  },
  values,
});

describe('the interval of a mean', () => {
  it("is Student's: of five values t is 2.776", () => {
    const [mean, low, high] = meanInterval([1, 2, 3, 4, 5])!;
    expect(mean).toBe(3);
    expect(high - mean).toBeCloseTo(2.776 * Math.sqrt(2.5 / 5), 12);
    expect(mean - low).toBeCloseTo(high - mean, 12);
  });

  it('comes to the normal one for many values', () => {
    const [, low, high] = meanInterval(Array.from({ length: 400 }, (_, i) => i % 2))!;
    expect((high - low) / 2).toBeCloseTo((1.966 * Math.sqrt(100 / 399)) / 20, 4);
  });

  it('of one value is that value, of none is none', () => {
    expect(meanInterval([4])).toEqual([4, 4, 4]);
    expect(meanInterval([])).toBeNull();
  });
});

describe('curves across seeds', () => {
  it('are the mean at each step, with axes that are means too', () => {
    const { values, low, track } = acrossSeeds([seed([1, 2, 3], [1, 2, 3]), seed([1, 2, 3], [3, 4, 5])])!;
    expect(values).toEqual([2, 3, 4]);
    expect(low?.[0]).toBeCloseTo(2 - 12.706, 9);
    expect(track).toMatchObject({ step: [1, 2, 3], time: [2, 4, 6], tokens: [10, 20, 30] });
  });

  it('take a seed that logged other steps between its neighbours, and end where the first of the seeds does', () => {
    const { values, track } = acrossSeeds([seed([1, 2, 3, 4], [0, 0, 0, 8]), seed([1, 3], [2, 6])])!;
    expect(values).toEqual([1, 2, 3]);
    expect(track).toMatchObject({ step: [1, 2, 3], stage: [0, 0, 0] });
  });

  it('do not reach over from one stage into the next', () => {
    const two: SeedCurve = { track: { stage: [0, 1], step: [2, 4], time: [1, 2], tokens: [1, 2] }, values: [10, 20] };
    const four: SeedCurve = {
      track: { stage: [0, 0, 1, 1], step: [1, 2, 3, 4], time: [1, 2, 3, 4], tokens: [1, 2, 3, 4] },
      values: [0, 0, 0, 0],
    };
    expect(acrossSeeds([four, two])?.values).toEqual([0, 5, 0, 10]);
  });

  it('of one seed keep its own band', () => {
    const only = { ...seed([1], [0.5]), low: [0.4], high: [0.6] };
    expect(acrossSeeds([only, seed([1], [null])])).toBe(only);
    expect(acrossSeeds([])).toBeUndefined();
  });
});
