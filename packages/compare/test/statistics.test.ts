/** Intervals and tests of paired comparisons, by hand, by symmetry and by simulation; sampled figures against all subsets. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../src/kernels/philox.ts';
import { passAtK } from '../../../src/methods/statistics.ts';
import { budget } from '../../../test/support/budget.ts';
import { allRightOf } from '../../zoo/methods/support/figures/all_right.ts';
import { majorityAt, type Vote } from '../../zoo/methods/support/figures/majority_at.ts';
import { differenceOf, holm, mcNemar, studentTails } from '../statistics.ts';

const ONES = (problems: number): number[] => new Array<number>(problems).fill(1);

/** Runs of other starts than any other side's. */
const side = (name: string, ...values: readonly (readonly number[])[]) => ({
  starts: values.map((_, i) => `${name}${i}`),
  values,
});

describe('a difference of two sides', () => {
  it('is 0 for a side and itself, and only changes signs with the order', () => {
    const rng = rngFor('sides');
    const draw = (): number[] => Array.from({ length: 40 }, () => rng.float());
    const [a, b] = [side('a', draw(), draw()), side('b', draw())];
    expect(differenceOf(a, a, ONES(40))).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
    const [there, back] = [differenceOf(a, b, ONES(40)), differenceOf(b, a, ONES(40))];
    expect(back).toEqual({ mean: -there.mean, low: -there.high, high: -there.low, p: there.p });
  });

  it('counts problems by their weights', () => {
    const [a, b] = [side('a', [0, 0, 0]), side('b', [1, 0, 0])];
    expect(differenceOf(a, b, [2, 1, 1]).mean).toBeCloseTo(0.5, 12);
    const [one, two] = [side('a', [0, 0, 0.5]), side('b', [1, 0, 0])];
    const [light, without] = [differenceOf(one, two, [1, 1, 1e-12]), differenceOf(a, b, [1, 1, 1e-12])];
    expect([light.low, light.high]).toEqual([without.low, without.high].map((x) => expect.closeTo(x, 9)));
  });

  it('is what a paired t-test of problems gives, where each side is one run', () => {
    // A mean of 0.5 with a deviation of √0.3: t = 0.5/√(0.3/6) = √5 with 5 degrees of freedom.
    const { mean, low, high, p } = differenceOf(side('a', [0, 0, 0, 1, 0, 0]), side('b', [1, 0, 1, 1, 0, 1]), ONES(6));
    expect([mean, low, high, p]).toEqual([0.5, -0.074_801, 1.074_801, 0.075_588].map((x) => expect.closeTo(x, 5)));
  });

  it('finds a difference as unlikely as its interval does', () => {
    const rng = rngFor('chances');
    for (let trial = 0; trial < 40; trial++) {
      const draw = (share: number): number[] => Array.from({ length: 80 }, () => Number(rng.float() < share));
      const { low, high, p } = differenceOf(side('a', draw(0.4)), side('b', draw(0.55)), ONES(80));
      expect(p < 0.05).toBe(low > 0 || high < 0);
    }
    expect(differenceOf(side('a', new Array(80).fill(0)), side('b', new Array(80).fill(0)), ONES(80)).p).toBe(1);
  });

  it('has chances as small as a table of hundreds of rows needs', () => {
    const draw = (share: number) =>
      [0, 1, 2].map((run) => Array.from({ length: 300 }, (_, i) => Number(i + run < 300 * share)));
    const { p } = differenceOf(side('a', ...draw(0.1)), side('b', ...draw(0.9)), ONES(300));
    expect(116 * p).toBeLessThan(1e-6);
  });

  it('covers the true difference in 95 of 100 samples of problems', () => {
    const trials = budget({ quick: 200, all: 1200, release: 3000 });
    const problems = 150;
    const rng = rngFor('coverage');
    let covered = 0;
    for (let trial = 0; trial < trials; trial++) {
      const [a, b]: number[][] = [[], []];
      for (let i = 0; i < problems; i++) {
        const hard = rng.float(); // problems differ, and both sides meet the same ones
        a.push(Number(rng.float() < 0.7 * hard));
        b.push(Number(rng.float() < 0.7 * hard + 0.1));
      }
      const { low, high } = differenceOf(side('a', a), side('b', b), ONES(problems));
      if (low <= 0.1 && 0.1 <= high) covered++;
    }
    // 95 ± 1.5 %, and three standard errors of so few trials.
    const room = 0.015 + 3 * Math.sqrt((0.95 * 0.05) / trials);
    expect(Math.abs(covered / trials - 0.95)).toBeLessThan(room);
  });

  const problems = 40;
  const normalFrom = (rng: ReturnType<typeof rngFor>) => (): number =>
    Math.sqrt(-2 * Math.log(1 - rng.float())) * Math.cos(2 * Math.PI * rng.float());

  it('covers it in 95 of 100 cases where the three runs of each side differ by more than their problems', () => {
    const trials = budget({ quick: 200, all: 500, release: 1000 });
    const rng = rngFor('coverage of runs');
    const normal = normalFrom(rng);
    let covered = 0;
    for (let trial = 0; trial < trials; trial++) {
      const hard = Array.from({ length: problems }, () => rng.float());
      const sideOf = (name: string, gain: number) =>
        side(
          name,
          ...[0, 1, 2].map(() => {
            const luck = 0.1 * normal();
            return hard.map((own) => own + gain + luck);
          }),
        );
      const { low, high } = differenceOf(sideOf('a', 0), sideOf('b', 0.1), ONES(problems));
      if (low <= 0.1 && 0.1 <= high) covered++;
    }
    // Welch's degrees of freedom are rounded down: rather too wide than too narrow.
    const room = 3 * Math.sqrt((0.95 * 0.05) / trials);
    expect(covered / trials).toBeGreaterThan(0.935 - room);
    expect(covered / trials).toBeLessThan(0.985 + room);
  });

  it('leaves out what a start is worth, where both sides have the same starts', () => {
    const trials = budget({ quick: 200, all: 500, release: 1000 });
    const rng = rngFor('coverage of starts');
    const normal = normalFrom(rng);
    const widths: Record<'paired' | 'apart', number> = { paired: 0, apart: 0 };
    let covered = 0;
    for (let trial = 0; trial < trials; trial++) {
      const starts = [0, 1, 2, 3].map(() => 0.2 * normal());
      const runs = (gain: number) =>
        starts.map((start) => new Array<number>(problems).fill(gain + start + 0.02 * normal()));
      const [a, b] = [side('start', ...runs(0)), side('start', ...runs(0.1))];
      const paired = differenceOf(a, b, ONES(problems));
      const apart = differenceOf(a, { ...b, starts: ['w', 'x', 'y', 'z'] }, ONES(problems));
      widths.paired += paired.high - paired.low;
      widths.apart += apart.high - apart.low;
      if (paired.low <= 0.1 && 0.1 <= paired.high) covered++;
    }
    expect(Math.abs(covered / trials - 0.95)).toBeLessThan(3 * Math.sqrt((0.95 * 0.05) / trials));
    expect(widths.paired).toBeLessThan(widths.apart / 3);
  });

  it('of the same runs twice is 0, however these differ', () => {
    const same = { starts: ['a', 'b'], values: [new Array<number>(80).fill(0.2), new Array<number>(80).fill(0.9)] };
    expect(differenceOf(same, same, ONES(80))).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
  });
});

describe("Student's distribution", () => {
  it('is that of the tables', () => {
    for (const [t, freedom] of [
      [12.706_205, 1],
      [4.302_653, 2],
      [3.182_446, 3],
      [2.228_139, 10],
      [1.983_972, 100],
    ] as const)
      expect(studentTails(t, freedom)).toBeCloseTo(0.05, 6);
    expect(studentTails(0, 5)).toBe(1);
    expect(studentTails(40, 2)).toBeCloseTo(1 - 40 / Math.sqrt(2 + 40 ** 2), 14);
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
