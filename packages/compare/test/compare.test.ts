/** Two runs by problem: what is gained and lost, what differs, and what is not compared. */
import { describe, expect, it } from 'vitest';
import type { KeptProblem } from '../../../src/run/logs/problem_records.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { ZOO } from '../../zoo/registries.ts';
import { type ComparedRun, compareRuns } from '../compare.ts';
import { spelledMethods } from '../same_methods.ts';
import { greedyWords } from '../words.ts';

const right = { score: 1, status: 'correct', canonical: '12' } as const;
const wrong = { score: 0, status: 'incorrect', canonical: '21' } as const;

/** A problem with this greedy answer, and this many right samples of four. */
const problem = (key: string, isRight: boolean, samples: number, tokens = 2): KeptProblem => ({
  key,
  weight: 1,
  prompt: `${key} ?`,
  greedy: { ...(isRight ? right : wrong), text: isRight ? '12' : '21', length: 2 },
  samples: Array.from({ length: 4 }, (_, i) => ({
    ...(i < samples ? right : wrong),
    tokens: new Array<number>(tokens).fill(1),
    logprob: -1,
  })),
});

function run(
  name: string,
  problems: readonly KeptProblem[],
  further: Partial<ComparedRun['records']['head']> = {},
): ComparedRun {
  const head = {
    version: 1,
    stageIndex: 0,
    stage: 'grpo',
    step: 4,
    tasks: [{ task: { name: 'sort_digits', digits: 2 }, weight: 1 }],
    problems: 'abcdef0123',
    count: problems.length,
    samples: 4,
    sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
    seed: 0,
    ...further,
  } as const;
  return { name, records: { head, problems }, config: { seed: 0, 'grpo.learning_rate': name === 'a' ? 1e-3 : 2e-3 } };
}

const a = run('a', [problem('p', true, 4), problem('q', false, 2), problem('r', true, 1), problem('s', false, 0)]);
const b = run('b', [
  problem('p', true, 4, 3),
  problem('q', true, 3, 3),
  problem('r', false, 1, 3),
  problem('s', true, 2, 3),
]);

it('says of methods of two names that they are one', () => {
  const named = (runOf: ComparedRun, estimator: string): ComparedRun => {
    const text = `task: sort_digits\nmax_steps: 10\nadvantage_estimator: ${estimator}`;
    const [stage] = parseConfig(text, { file: 'a' }).config.stages;
    if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
    return { ...runOf, methods: [spelledMethods(stage.methods, ZOO.methods)] };
  };
  const psr = named(a, 'psr');
  expect(compareRuns([psr], [named(b, '{name: constant, constant_baseline: 0}')]).same).toEqual([
    'Their advantage_estimator is the same, to the bit: psr is another name of constant with constant_baseline: 0.',
  ]);
  expect(compareRuns([psr], [named(b, 'constant')]).same).toEqual([]);
  expect(compareRuns([a], [b]).same).toEqual([]);
});

describe('a comparison', () => {
  const { figures, gained, lost, mcNemar, differs } = compareRuns([a], [b]);
  const figure = (name: string) => figures.find((one) => one.name === name);

  it('has the figures of both, and their difference', () => {
    expect(figure('accuracy')).toMatchObject({ a: 0.5, b: 0.75, difference: { mean: 0.25 } });
    expect(figure('mean@4')).toMatchObject({ a: 7 / 16, b: 10 / 16 });
    expect(figure('pass@4')).toMatchObject({ a: 0.75, b: 1 });
    expect(figure('pass^4')).toMatchObject({ a: 0.25, b: 0.25, difference: { mean: 0, low: 0, high: 0 } });
    expect(figure('maj@4')).toMatchObject({ a: (1 + 0.5) / 4, b: (1 + 1 + 0.5) / 4 });
    expect(figure('completions/mean_length')).toMatchObject({ difference: { mean: 1, low: 1, high: 1 } });
    for (const { difference } of figures) {
      expect(difference.low).toBeLessThanOrEqual(difference.mean);
      expect(difference.high).toBeGreaterThanOrEqual(difference.mean);
    }
  });

  it('names the problems gained and lost, with both answers, and the keys that differ', () => {
    expect(gained.map(({ key }) => key)).toEqual(['q', 's']);
    expect(lost).toEqual([{ key: 'r', prompt: 'r ?', a: '12', b: '21' }]);
    expect(mcNemar).toEqual({ gained: 2, lost: 1, p: 1 });
    expect(differs).toEqual([{ key: 'grpo.learning_rate', a: 1e-3, b: 2e-3 }]);
  });

  it('only changes signs with the order, and finds a run equal to itself', () => {
    const back = compareRuns([b], [a]);
    back.figures.forEach(({ difference }, i) => {
      const { mean, low, high } = figures[i].difference;
      expect([difference.mean, difference.low, difference.high]).toEqual([0 - mean, 0 - high, 0 - low]);
    });
    expect([back.gained.length, back.lost.length]).toEqual([1, 2]);
    const same = compareRuns([a], [a]);
    expect([...same.gained, ...same.lost, ...same.differs]).toEqual([]);
    for (const { difference } of same.figures) expect(difference).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it('takes runs of one method together: less sure, where they differ', () => {
    const both = compareRuns([a, run('a2', b.records.problems)], [b, run('b2', a.records.problems)]);
    expect(both.figures[0]).toMatchObject({ name: 'accuracy', a: 0.625, b: 0.625, difference: { mean: 0 } });
    expect(both.figures[0].difference.high).toBeGreaterThan(0);
  });

  it('of several runs on each side takes all of them, in whatever order they are named', () => {
    const seeded = (one: ComparedRun, seed: number): ComparedRun => ({ ...one, config: { ...one.config, seed } });
    const [a0, a1] = [seeded(a, 0), seeded(run('a1', b.records.problems), 1)];
    const [b0, b1] = [seeded(b, 0), seeded(run('b1', [...b.records.problems]), 1)];
    const there = compareRuns([a0, a1], [b0, b1]);
    expect(compareRuns([a1, a0], [b1, b0])).toEqual(there);
    expect(compareRuns([a0, a1], [b1, b0])).toEqual(there);
    // a1 answers as b does, so that a0 alone differs: it misses q and s, and solves r.
    expect([there.gained.map(({ key }) => key), there.lost.map(({ key }) => key)]).toEqual([['q', 's'], ['r']]);
    expect(there.gained[0]).toEqual({ key: 'q', prompt: 'q ?', a: '21', b: '12' });
    expect(there.boundary).toMatchObject({ gained: 1, lost: 0 });
    expect(greedyWords(there)).toContain('B solves 2 in a larger share of its runs than A, and A 1 than B');
  });

  it('says where the curves of pass@k cross, and what is solved in any sample', () => {
    const { boundary } = compareRuns([a], [b]);
    expect([boundary.a[0], boundary.a[3]]).toEqual([7 / 16, 0.75]);
    expect(boundary).toMatchObject({ crossing: null, solved: { a: 3, b: 4 }, gained: 1, lost: 0, gainedGreedily: 1 });
    // Always right on one problem of four, or once on each of three: the first is ahead at one try alone.
    const sure = run(
      'sure',
      ['p', 'q', 'r', 's'].map((key, i) => problem(key, false, i === 0 ? 4 : 0)),
    );
    const wide = run(
      'wide',
      ['p', 'q', 'r', 's'].map((key, i) => problem(key, false, i < 3 ? 1 : 0)),
    );
    const crossed = compareRuns([sure], [wide]).boundary;
    expect(crossed.a).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(crossed.b).toEqual([3 / 16, 6 / 16, 9 / 16, 12 / 16].map((value) => expect.closeTo(value, 12)));
    expect(crossed).toMatchObject({ crossing: 2, solved: { a: 1, b: 3 }, gained: 2, lost: 0, gainedGreedily: 0 });
    expect(compareRuns([wide], [sure]).boundary).toMatchObject({ crossing: 2, gained: 0, lost: 2 });
    expect(compareRuns([a], [a]).boundary).toMatchObject({ crossing: null, gained: 0, lost: 0 });
  });

  it.each([
    ['other tasks or knobs', { tasks: [{ task: { name: 'sort_digits', digits: 3 }, weight: 1 }] }],
    ['another split', { problems: 'f00' }],
    ['another number of samples', { samples: 8 }],
    ['another sampling', { sampling: { temperature: 0.5, topK: 0, topP: 1, minP: null } }],
  ])('refuses %s, and names it', (what, head) => {
    const other = run('c', b.records.problems, head);
    expect(() => compareRuns([a], [other])).toThrow(`c: ${what} than a`);
  });
});
