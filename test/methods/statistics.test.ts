import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../src/kernels/philox.ts';
import { meanOverProblems, meanPassAtK, passAtK, shareSolved } from '../../src/methods/statistics.ts';

/** The share of all subsets of size k of n samples, the first c of them correct, that hold a correct one. */
function enumeratedPassAtK(n: number, c: number, k: number): number {
  let subsets = 0;
  let passing = 0;
  for (let bits = 0; bits < 1 << n; bits++) {
    if (bits.toString(2).replaceAll('0', '').length !== k) continue;
    subsets++;
    if ((bits & ((1 << c) - 1)) !== 0) passing++;
  }
  return passing / subsets;
}

/** `solved` problems of `count`. */
const outcomes = (solved: number, count: number) => Array.from({ length: count }, (_, i) => (i < solved ? 1 : 0));

describe('passAtK', () => {
  it('equals the share of subsets that hold a correct sample, for every n up to 8', () => {
    for (let n = 1; n <= 8; n++) {
      for (let c = 0; c <= n; c++) {
        for (let k = 1; k <= n; k++) expect(passAtK(n, c, k)).toBeCloseTo(enumeratedPassAtK(n, c, k), 12);
      }
    }
  });

  it('is c / n at k = 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat(1000), (n, draw) => {
        const c = draw % (n + 1);
        expect(passAtK(n, c, 1)).toBeCloseTo(c / n, 9);
      }),
    );
  });

  it('grows with k and stays in [0, 1] where the binomials would overflow', () => {
    let before = 0;
    for (let k = 1; k <= 4000; k += 37) {
      const value = passAtK(4000, 3, k);
      expect(value).toBeGreaterThan(before);
      expect(value).toBeLessThanOrEqual(1);
      before = value;
    }
  });

  it.each(
    /* biome-ignore format: a table */ [
      [4, 1, 5,
        'pass@k: k = 5 — needs k samples of a problem, has 4; use 1 to the number of samples, or raise num_generations_eval.'],
      [4, 1, 0,
        'pass@k: k = 0 — needs k samples of a problem, has 4; use 1 to the number of samples, or raise num_generations_eval.'],
      [4, 5, 1, 'pass@k: correct = 5 — must be from 0 to the number of samples (4); count again.'],
      [4, 0.5, 1, 'pass@k: correct = 0.5 — must be from 0 to the number of samples (4); count again.'],
    ],
  )('refuses n = %d, c = %d, k = %d', (n, c, k, message) => {
    expect(() => passAtK(n, c, k)).toThrow(expect.objectContaining({ name: 'DataError', code: 'pass-at-k', message }));
  });
});

describe('meanPassAtK', () => {
  it('averages over problems', () => {
    const { mean, count } = meanPassAtK(new Int32Array([0, 4, 2]), 4, 2);
    expect(mean).toBeCloseTo((0 + 1 + (1 - 1 / 6)) / 3, 12);
    expect(count).toBe(3);
  });

  it('is the sampled accuracy at k = 1, with samples clustered by problem', () => {
    const { mean, low, high } = meanPassAtK([0, 4, 0, 4], 4, 1);
    expect(mean).toBe(0.5);
    // s = √(4 · 0.25 / 3), half-width 1.96 · s / √4 = 0.566 from four problems, not sixteen samples: clipped
    expect(high).toBe(1);
    expect(low).toBe(0);
  });
});

describe('meanOverProblems', () => {
  it('gives m ± 1.96 s / √n', () => {
    const { mean, low, high } = meanOverProblems([0.4, 0.5, 0.6]);
    expect(mean).toBeCloseTo(0.5, 12);
    expect(high - mean).toBeCloseTo((1.959963984540054 * 0.1) / Math.sqrt(3), 12);
    expect(mean - low).toBeCloseTo((1.959963984540054 * 0.1) / Math.sqrt(3), 12);
  });

  it('knows nothing of the spread from one problem', () => {
    expect(meanOverProblems([0.3])).toEqual({ mean: 0.3, low: 0, high: 1, count: 1 });
  });

  it.each([0, 1])('is no surer of %d, the mean of problems that all agree, than their share solved is', (value) => {
    expect(meanOverProblems(new Array(50).fill(value))).toEqual(shareSolved(outcomes(50 * value, 50)));
    expect(meanPassAtK(new Array(50).fill(4 * value), 4, 1)).toEqual(shareSolved(outcomes(50 * value, 50)));
  });

  it('keeps the spread open where all problems agree between 0 and 1, though their sum rounds', () => {
    const { mean, low, high } = meanOverProblems(new Array(10).fill(0.3));
    expect(mean).toBe(0.3);
    expect(shareSolved(outcomes(3, 10))).toMatchObject({ low, high });
  });

  it('refuses no problems', () => {
    expect(() => meanOverProblems([])).toThrow('problems: 0 — a mean needs at least one; check the held-out split.');
  });
});

describe('shareSolved', () => {
  it('gives the published Wilson interval of 81 in 263', () => {
    // Newcombe 1998, Statistics in Medicine 17, table I: 0.2553 to 0.3662
    const { mean, low, high } = shareSolved(outcomes(81, 263));
    expect(mean).toBeCloseTo(81 / 263, 12);
    expect(low).toBeCloseTo(0.2553, 4);
    expect(high).toBeCloseTo(0.3662, 4);
  });

  it('is not sure of 0 or 1 after ten problems', () => {
    expect(shareSolved(outcomes(0, 10))).toMatchObject({ mean: 0, low: 0, high: expect.closeTo(0.2775, 4) });
    expect(shareSolved(outcomes(10, 10))).toMatchObject({ mean: 1, low: expect.closeTo(0.7225, 4), high: 1 });
  });

  it('holds its mean inside its interval, inside [0, 1]', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.nat(2000), (count, draw) => {
        const { mean, low, high } = shareSolved(outcomes(draw % (count + 1), count));
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(mean).toBeGreaterThanOrEqual(low - 1e-12);
        expect(mean).toBeLessThanOrEqual(high + 1e-12);
      }),
    );
  });
});

describe('weights', () => {
  it('of 2 are as two problems of the same outcome in the mean', () => {
    expect(meanOverProblems([0.25, 1], [2, 1]).mean).toBeCloseTo(meanOverProblems([0.25, 0.25, 1]).mean, 12);
    expect(shareSolved([1, 0, 0], [2, 1, 1]).mean).toBe(0.5);
    expect(meanPassAtK([4, 0], 4, 1, [3, 1]).mean).toBe(0.75);
  });

  it('of equal size change nothing', () => {
    const values = [0, 0.25, 0.5, 1];
    const equal = meanOverProblems(values, [7, 7, 7, 7]);
    const plain = meanOverProblems(values);
    expect(equal.mean).toBeCloseTo(plain.mean, 12);
    expect(equal.low).toBeCloseTo(plain.low, 12);
    expect(equal.high).toBeCloseTo(plain.high, 12);
    expect(shareSolved([1, 0, 1], [3, 3, 3])).toEqual(shareSolved([1, 0, 1]));
  });

  it('that differ widen the interval, and count problems all the same', () => {
    const solved = outcomes(20, 40);
    const uneven = solved.map((_, i) => (i % 2 === 0 ? 1 : 3));
    const { low, high, count } = shareSolved(solved, uneven);
    const plain = shareSolved(solved);
    expect(count).toBe(40);
    expect(high - low).toBeGreaterThan(plain.high - plain.low);
    // 40 problems of weights 1 and 3 tell as much as 32 of equal ones.
    expect(high - low).toBeCloseTo(shareSolved(outcomes(16, 32)).high - shareSolved(outcomes(16, 32)).low, 12);
  });

  it('are those of a weighted mean: 95 of 100 intervals hold the mean of the whole', () => {
    // A population of problems with values and weights; samples of 60, many times.
    const rng = rngFor('weighted intervals');
    const population = Array.from({ length: 400 }, () => ({ value: rng.float(), weight: 1 + 4 * rng.float() }));
    const total = population.reduce((sum, { weight }) => sum + weight, 0);
    const truth = population.reduce((sum, { value, weight }) => sum + value * weight, 0) / total;
    let held = 0;
    for (let trial = 0; trial < 1000; trial++) {
      const drawn = Array.from({ length: 60 }, () => rng.pick(population));
      const { low, high } = meanOverProblems(
        drawn.map(({ value }) => value),
        drawn.map(({ weight }) => weight),
      );
      if (low <= truth && truth <= high) held++;
    }
    expect(held).toBeGreaterThan(920);
    expect(held).toBeLessThan(975);
  });
});
