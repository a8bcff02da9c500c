/** Intervals and tests of paired comparisons, by hand, by symmetry and by simulation; sampled figures against all subsets. */
import { describe, expect, it } from 'vitest';
import { Bootstrap, holm, mcNemar } from '../../src/compare/statistics.ts';
import { rngFor } from '../../src/kernels/philox.ts';
import { passAtK } from '../../src/methods/statistics.ts';
import { allRightOf } from '../../src/methods/support/figures/all_right.ts';
import { majorityAt, type Vote } from '../../src/methods/support/figures/majority_at.ts';
import { budget } from '../support/budget.ts';

const side = (name: string, ...values: readonly (readonly number[])[]) => ({
  runs: values.map((_, i) => `${name}${i}`),
  values,
});

describe('a bootstrap of paired differences', () => {
  it('is 0 for a side and itself, and only changes signs with the order', () => {
    const rng = rngFor('sides');
    const draw = (): number[] => Array.from({ length: 40 }, () => rng.float());
    const [a, b] = [side('a', draw(), draw()), side('b', draw())];
    const bootstrap = new Bootstrap(new Array<number>(40).fill(1), 1001);
    expect(bootstrap.difference(a, a)).toEqual({ mean: 0, low: 0, high: 0 });
    const [there, back] = [bootstrap.difference(a, b), bootstrap.difference(b, a)];
    expect(back).toEqual({ mean: -there.mean, low: -there.high, high: -there.low });
  });

  it('counts problems by their weights', () => {
    const [a, b] = [side('a', [0, 0, 0]), side('b', [1, 0, 0])];
    const { mean } = new Bootstrap([2, 1, 1], 101).difference(a, b);
    expect(mean).toBeCloseTo(0.5, 12);
    const heavy = new Bootstrap([1, 1, 1e-12], 1001).difference(a, b);
    expect([heavy.low, heavy.high]).toEqual([expect.closeTo(0, 9), expect.closeTo(1, 9)]);
  });

  it('finds a difference as unlikely as its interval does', () => {
    const rng = rngFor('chances');
    const bootstrap = new Bootstrap(new Array<number>(80).fill(1), 801);
    for (let trial = 0; trial < 40; trial++) {
      const draw = (share: number): number[] => Array.from({ length: 80 }, () => Number(rng.float() < share));
      const { low, high, p } = bootstrap.tested(side('a', draw(0.4)), side('b', draw(0.55)));
      if (low > 0 || high < 0) expect(p).toBeLessThan(0.06);
      else expect(p).toBeGreaterThan(0.045);
    }
    expect(bootstrap.tested(side('a', new Array(80).fill(0)), side('b', new Array(80).fill(0))).p).toBe(1);
  });

  it('covers the true difference in 95 of 100 samples of problems', () => {
    const trials = budget({ quick: 60, all: 1200, release: 3000 });
    const problems = 150;
    const bootstrap = new Bootstrap(new Array<number>(problems).fill(1), 801);
    const rng = rngFor('coverage');
    let covered = 0;
    for (let trial = 0; trial < trials; trial++) {
      const [a, b]: number[][] = [[], []];
      for (let i = 0; i < problems; i++) {
        const hard = rng.float(); // problems differ, and both sides meet the same ones
        a.push(Number(rng.float() < 0.7 * hard));
        b.push(Number(rng.float() < 0.7 * hard + 0.1));
      }
      const { low, high } = bootstrap.difference(side('a', a), side('b', b));
      if (low <= 0.1 && 0.1 <= high) covered++;
    }
    // 95 ± 1.5 %, and three standard errors of so few trials.
    const room = 0.015 + 3 * Math.sqrt((0.95 * 0.05) / trials);
    expect(Math.abs(covered / trials - 0.95)).toBeLessThan(room);
  });

  it('covers it in 95 of 100 cases where the three runs of each side differ by more than their problems', () => {
    const trials = budget({ quick: 60, all: 500, release: 1000 });
    const problems = 40;
    const bootstrap = new Bootstrap(new Array<number>(problems).fill(1), 401);
    const rng = rngFor('coverage of runs');
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - rng.float())) * Math.cos(2 * Math.PI * rng.float());
    let covered = 0;
    for (let trial = 0; trial < trials; trial++) {
      const hard = Array.from({ length: problems }, () => rng.float());
      const sideOf = (name: string, gain: number) => ({
        runs: [0, 1, 2].map((run) => `${name}${run}`),
        values: [0, 1, 2].map(() => {
          const luck = 0.1 * normal();
          return hard.map((own) => own + gain + luck);
        }),
      });
      const { low, high } = bootstrap.difference(sideOf('a', 0), sideOf('b', 0.1));
      if (low <= 0.1 && 0.1 <= high) covered++;
    }
    // Welch's degrees of freedom are rounded down: rather too wide than too narrow.
    const room = 3 * Math.sqrt((0.95 * 0.05) / trials);
    expect(covered / trials).toBeGreaterThan(0.935 - room);
    expect(covered / trials).toBeLessThan(0.985 + room);
  });

  it('of the same runs twice is 0, however these differ', () => {
    const same = { runs: ['a', 'b'], values: [new Array<number>(80).fill(0.2), new Array<number>(80).fill(0.9)] };
    expect(new Bootstrap(new Array<number>(80).fill(1), 101).difference(same, same)).toEqual({
      mean: 0,
      low: 0,
      high: 0,
    });
  });
});

describe("Holm's correction", () => {
  it('multiplies the smallest chance by their number, the next by one less, and never falls', () => {
    expect(holm([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06]);
    expect(holm([0.5, 0.9])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});

describe('the exact McNemar test', () => {
  it('is what a table of binomials gives', () => {
    expect(mcNemar(0, 0)).toBe(1);
    expect(mcNemar(5, 0)).toBeCloseTo(2 / 2 ** 5, 12);
    expect(mcNemar(1, 9)).toBeCloseTo((2 * (1 + 10)) / 2 ** 10, 12);
    expect(mcNemar(9, 1)).toBe(mcNemar(1, 9));
    expect(mcNemar(600, 500)).toBeCloseTo(0.002_819_544_991_436, 12); // whole numbers, in Python
  });

  it('calls a fair coin unfair in no more than 5 of 100 cases, whatever the number of tosses', () => {
    for (const tosses of [1, 6, 17, 60]) {
      let [chance, wrong] = [2 ** -tosses, 0];
      for (let heads = 0; heads <= tosses; heads++) {
        if (mcNemar(heads, tosses - heads) <= 0.05) wrong += chance;
        chance *= (tosses - heads) / (heads + 1);
      }
      expect(wrong).toBeLessThanOrEqual(0.05);
    }
  });
});

/** All choices of k of these. */
function* subsets<T>(all: readonly T[], k: number, from = 0): Generator<readonly T[]> {
  if (k === 0) yield [];
  else
    for (let i = from; i <= all.length - k; i++) for (const rest of subsets(all, k - 1, i + 1)) yield [all[i], ...rest];
}

function meanOverSubsets(votes: readonly Vote[], k: number, of: (chosen: readonly Vote[]) => number): number {
  const values = [...subsets(votes, k)].map(of);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The share of the commonest answers that is right. */
function majority(chosen: readonly Vote[]): number {
  const counts = new Map<string, number>();
  for (const { canonical } of chosen)
    if (canonical !== undefined) counts.set(canonical, (counts.get(canonical) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const winners = [...counts].filter(([, count]) => count === most).map(([name]) => name);
  const right = winners.filter((name) => chosen.some(({ canonical, score }) => canonical === name && score === 1));
  return winners.length === 0 ? 0 : right.length / winners.length;
}

it('pass@k, pass^k and maj@k are means over all choices of k samples', () => {
  const rng = rngFor('votes');
  for (let trial = 0; trial < budget({ quick: 40, all: 400 }); trial++) {
    const n = rng.int(1, 8);
    const votes = Array.from({ length: n }, (): Vote => {
      const form = rng.int(0, 4);
      return form === 0 ? { score: 0 } : { canonical: `answer ${form}`, score: form <= 2 ? 1 : 0 };
    });
    const right = votes.filter(({ score }) => score === 1).length;
    for (let k = 1; k <= n; k++) {
      const isRight = ({ score }: Vote): boolean => score === 1;
      expect(passAtK(n, right, k)).toBeCloseTo(
        meanOverSubsets(votes, k, (chosen) => Number(chosen.some(isRight))),
        12,
      );
      expect(allRightOf(n, right, k)).toBeCloseTo(
        meanOverSubsets(votes, k, (chosen) => Number(chosen.every(isRight))),
        12,
      );
      expect(majorityAt(votes, k)).toBeCloseTo(meanOverSubsets(votes, k, majority), 12);
    }
  }
});
