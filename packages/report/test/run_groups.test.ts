/** Which runs of a comparison are one curve, and at which step they are compared. */
import { describe, expect, it } from 'vitest';
import type { ServedRun } from '../data.ts';
import { type ComparedRun, commonName, commonStep, groupsOf } from '../page/charts/run_groups.ts';
import { Curves, NO_COMPLETIONS } from '../page/track.ts';

/** @param evaluated  steps with an evaluation */
function compared(
  name: string,
  { seed = 0 as number | null, group = 'a', steps = 100, isFinished = true, evaluated = [0, 50, 100] } = {},
): ComparedRun {
  const run: ServedRun = {
    name,
    title: name,
    note: '',
    outline: { stages: [{ stage: 'grpo', max_steps: 100 }] },
    isRunning: false,
    seed,
    group,
    differs: {},
  };
  const stage = { stage: 'grpo', index: 0, stepsPerPoint: 1, seconds: [steps], tokens: [steps], metrics: {} };
  const evaluations = evaluated.map((step) => ({
    ...{ stage: 0, step, seconds: step, tokens: step, samples: 1, runtime: null, pass: null },
    ...{ greedy: [0.5, 0.4, 0.6] as const, sampled: null },
  }));
  const curves = new Curves({
    stages: [{ ...stage, taken: steps, steps: [steps] }],
    evaluations,
    diagnoses: [],
    completions: NO_COMPLETIONS,
  });
  return { run, curves, isFinished };
}

const named = (runs: readonly ComparedRun[]) =>
  groupsOf(runs).map(({ name, label, runs: own, leftOut, isFinished }) => ({
    name,
    label,
    seeds: own.map(({ run }) => run.seed),
    leftOut: leftOut.map(({ run }) => run.name),
    isFinished,
  }));

describe('groups of runs', () => {
  it('a seed counts once, with its longest run: equal bits are no second sample', () => {
    expect(named([compared('stopped', { steps: 40, isFinished: false }), compared('whole')])).toEqual([
      { name: 'whole', label: 'whole', seeds: [0], leftOut: ['stopped'], isFinished: true },
    ]);
  });

  it('of two runs as long, the finished one counts', () => {
    const [only] = named([compared('cut', { isFinished: false }), compared('whole')]);
    expect(only).toMatchObject({ name: 'whole', leftOut: ['cut'], isFinished: true });
  });

  it('finished runs that differ in the seed alone are one; others, and what has not finished, are apart', () => {
    const runs = [
      compared('rate=1e-3-seed0', { seed: 0 }),
      compared('rate=1e-3-seed1', { seed: 1 }),
      compared('rate=1e-3-seed2', { seed: 2, steps: 30, isFinished: false }),
      compared('rate=1e-2-seed0', { group: 'b' }),
    ];
    expect(named(runs).map(({ name, seeds, isFinished }) => [name, seeds, isFinished])).toEqual([
      ['rate=1e-2-seed0', [0], true],
      ['rate=1e-3', [0, 1], true],
      ['rate=1e-3-seed2', [2], false],
    ]);
    expect(named(runs).map(({ label }) => label)).toEqual(['1e-2-seed0', '1e-3', '1e-3-seed2']);
  });

  it('runs whose seed is not known are never taken for each other', () => {
    expect(named([compared('a', { seed: null }), compared('b', { seed: null })])[0]?.seeds).toEqual([null, null]);
  });

  it('have names of their own, also where their runs have the same beginning', () => {
    const runs = ['x/seed0', 'x/seed1'].flatMap((name, seed) => [
      compared(name, { seed, group: 'a' }),
      compared(name.replace('seed', 'seed_'), { seed, group: 'b' }),
    ]);
    expect(new Set(named(runs).map(({ name }) => name)).size).toBe(2);
  });
});

it('runs are named by what their names have in common', () => {
  expect(commonName(['sweep-rate=1e-3-seed0', 'sweep-rate=1e-3-seed1'])).toBe('sweep-rate=1e-3');
  expect(commonName(['rate1e-3/seed0', 'rate1e-3/seed12'])).toBe('rate1e-3');
  expect(commonName(['one'])).toBe('one');
  expect(commonName(['one', 'two', 'six'])).toBe('one +2');
});

describe('the step at which runs are compared', () => {
  it('is the last at which all were evaluated', () => {
    const [short, long] = [compared('a', { evaluated: [0, 50, 100] }), compared('b', { evaluated: [0, 40, 100, 150] })];
    expect(commonStep([short, long])).toBe(100);
    expect(commonStep([long])).toBe(150);
    expect(commonStep([long], 120)).toBe(100);
  });

  it('is none where there is no such step, and does not wait for a run without evaluations', () => {
    expect(commonStep([compared('a', { evaluated: [10] }), compared('b', { evaluated: [20] })])).toBeUndefined();
    expect(commonStep([compared('a', { evaluated: [10] }), compared('b', { evaluated: [] })])).toBe(10);
    expect(commonStep([])).toBeUndefined();
  });
});
