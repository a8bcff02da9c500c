/** The best mixture of a few runs, against quadratics whose maximum is known. */
import { describe, expect, it } from 'vitest';
import { mixtureLines, mixtureOf } from '../../commands/actions/compare_mixture.ts';
import type { ComparedRun } from '../compare.ts';
import { fitMixture, type MixtureRun } from '../mixture.ts';

const runsOf = (mixtures: readonly (readonly number[])[], score: (shares: readonly number[]) => number): MixtureRun[] =>
  mixtures.map((shares) => ({ shares, score: score(shares) }));
const TWO = [0, 0.25, 0.5, 0.75, 1].map((share) => [share, 1 - share]);

describe('the mixture of a quadratic surrogate', () => {
  it('is the maximum of a quadratic of two tasks', () => {
    // a² has its summit beyond; a·b has it in the middle; together at a = 0.7.
    const { shares, score, residual } = fitMixture(runsOf(TWO, ([a, b]) => 0.4 * a + b * 0 + a * b));
    expect(shares[0]).toBeCloseTo(0.7, 2);
    expect(score).toBeCloseTo(0.49, 2);
    expect(residual).toBeLessThan(1e-2);
  });

  it('is a corner where one task is best for all', () => {
    expect(fitMixture(runsOf(TWO, ([a]) => a)).shares).toEqual([1, 0]);
  });

  it('weighs three tasks, of which two help each other', () => {
    const mixtures = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [0.5, 0.5, 0],
      [0.5, 0, 0.5],
      [0, 0.5, 0.5],
      [0.4, 0.3, 0.3],
    ];
    const { shares } = fitMixture(runsOf(mixtures, ([a, b, c]) => 0.3 * a + 0.3 * b + 0.1 * c + a * b));
    expect(shares[0]).toBeCloseTo(0.5, 2);
    expect(shares[2]).toBeCloseTo(0, 2);
  });

  it('with as many runs as tasks alone picks among them, and with fewer says so', () => {
    expect(
      fitMixture(
        runsOf(
          [
            [1, 0],
            [0, 1],
          ],
          ([a]) => a,
        ),
      ).shares,
    ).toEqual([1, 0]);
    expect(() => fitMixture(runsOf([[1, 0]], () => 1))).toThrow('1 runs cannot tell 2 tasks apart');
  });
});

describe('--mixture', () => {
  const run = (weights: Readonly<Record<string, number>>, scores: readonly (0 | 1)[]): ComparedRun =>
    ({
      name: 'a',
      config: Object.fromEntries(
        Object.entries(weights).map(([task, weight]) => [`grpo.task_weights.${task}`, weight]),
      ),
      records: { problems: scores.map((score) => ({ samples: [{ score }] })) },
    }) as unknown as ComparedRun; // all that is read

  it('reads shares and scores of runs', () => {
    const facts = mixtureOf([run({ a: 1 }, [1, 1]), run({ b: 2 }, [0, 0]), run({ a: 1, b: 1 }, [1, 0])]);
    expect(facts).toMatchObject({ tasks: ['a', 'b'], runs: 3, shares: [1, 0] });
    expect(mixtureLines(facts).join('\n')).toContain('task_weights: {a: 1, b: 0}');
  });

  it('says what it lacks', () => {
    expect(() => mixtureOf([run({}, [1]), run({}, [0])])).toThrow('no task_weights of several tasks');
    expect(() => mixtureOf([run({ a: 1, b: 1, c: 1 }, [1]), run({ a: 1 }, [0])])).toThrow('2 runs for 3 tasks');
  });
});
