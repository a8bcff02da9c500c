/** Steps that make one total of several rewards: harmonic, agree, ensemble, constraint-dual, aux-auto-weight. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import { type Row, StepTrial } from '../../support/group_steps.ts';

const TWO = '[accuracy, {name: lcs, weight: 0}]';
const rows = (...parts: readonly (readonly (number | null)[])[]): Row[] => parts.map((own) => ({ parts: own }));

describe('harmonic', () => {
  const apply = (options: string, ...parts: readonly (readonly (number | null)[])[]) =>
    new StepTrial(`{name: harmonic, first: accuracy, second: lcs${options}}`, TWO).apply([rows(...parts)]).rewards[0];

  it('is the harmonic mean: below the arithmetic one unless both are equal, and 0 where one is', () => {
    const [equal, unequal, none, negative] = apply('', [0.5, 0.5], [1, 0.5], [1, 0], [1, -0.5]);
    expect(equal).toBeCloseTo(0.5, 12);
    expect(unequal).toBeCloseTo(2 / 3, 12);
    expect([none, negative]).toEqual([0, 0]);
  });

  it('weighs by lambda, and takes the one that applies', () => {
    const [weighed, alone, nothing] = apply(', lambda: 0.25', [1, 0.5], [null, 0.3], [null, null]);
    expect(weighed).toBeCloseTo(1 / (0.25 + 0.75 / 0.5), 12);
    expect([alone, nothing]).toEqual([0.3, null]);
  });
});

describe('agree', () => {
  it('rewards two equal results, and none that could not be read', () => {
    const trial = new StepTrial('{name: agree, first: accuracy, second: lcs, tolerance: 0.01}', TWO);
    const { rewards } = trial.apply([rows([42, 42], [42, 42.005], [42, 43], [42, null], [null, null])]);
    expect(rewards).toEqual([[1, 1, 0, 0, null]]);
  });
});

describe('ladder', () => {
  const RUNGS =
    '{name: ladder, rungs: [{reward: syntax, worth: 0.1}, {reward: tests, worth: 0.7}, {reward: brevity, worth: 0.2, from: 0.5}]}';

  it('pays sub-scores of the verdict one after the other, each by its own name', () => {
    const trial = new StepTrial(
      RUNGS,
      '[{name: part, of: syntax}, {name: part, of: tests}, {name: part, of: brevity}]',
    );
    const { rewards } = trial.apply([rows([0, 0, 0], [1, 0.9, 0], [0, 1, 1], [1, 1, 0.4], [1, 1, 0.5])]);
    [0, 0.1, 0, 0.8, 1].forEach((value, i) => expect(rewards[0]?.[i]).toBeCloseTo(value, 12));
  });

  it('the same sub-score twice is refused by its name', () => {
    expect(() => new StepTrial(RUNGS, '[{name: part, of: tests}, {name: part, of: tests}]')).toThrow(
      /tests is listed twice; keep one/,
    );
  });
});

describe('ensemble', () => {
  it('is the mean less the penalty for their deviation, with n', () => {
    const trial = new StepTrial('{name: ensemble, rewards: [accuracy, lcs], penalty: 0.5}', TWO);
    const [[split, equal, alone, nothing]] = trial.apply([rows([1, 0], [0.7, 0.7], [0.2, null], [null, null])]).rewards;
    expect(split).toBeCloseTo(0.5 - 0.5 * 0.5, 12);
    expect([equal, alone, nothing]).toEqual([0.7, 0.2, null]);
  });
});

describe('constraint-dual', () => {
  const trial = (options: string) => new StepTrial(`{name: constraint-dual, constraint: lcs, ${options}}`, TWO);
  const price = (one: StepTrial, lcs: number, step: number) =>
    one.apply([rows([1, lcs], [0, lcs])], step).logged['constraint-dual/price'];

  it('raises its price while the mean is too low, and lowers it to 0 at the least', () => {
    const one = trial('least: 0.9, rate: 0.5');
    const means = [0.5, 0.5, 0.9, 1, 1, 1, 1, 1, 1, 1];
    const seen = means.map((lcs, step) => price(one, lcs, step));
    [0, 0.2, 0.4, 0.4, 0.35, 0.3].forEach((value, i) => expect(seen[i]).toBeCloseTo(value, 12));
    expect(price(one, 1, 40)).toBeGreaterThanOrEqual(0);
    for (let step = 41; step < 60; step++) price(one, 1, step);
    expect(price(one, 1, 60)).toBe(0);
  });

  it('pays the constraint at its price, which stays while rounds of one step go on', () => {
    const one = trial('least: 1, rate: 1, start: 2');
    expect(one.apply([rows([1, 0.5], [null, 0.25], [1, null])]).rewards).toEqual([[2, 0.5, 1]]);
    expect(price(one, 0, 0)).toBe(2);
    expect(price(one, 0, 1)).toBeCloseTo(2 + (1 - (0.5 + 0.25 + 0 + 0) / 4), 12);
  });

  it('goes on from a checkpoint with its price, and with what the step under way has seen', () => {
    const [whole, other] = [trial('least: 0.9'), trial('least: 0.9')];
    for (const step of [0, 1, 2]) price(whole, 0.3, step);
    other.state = whole.state;
    expect(price(other, 0.3, 3)).toBe(price(whole, 0.3, 3));
    expect(other.state).toEqual(whole.state);
  });
});

describe('aux-auto-weight', () => {
  const REWARDS = '[accuracy, {name: positions, weight: 0.5}, lcs]';
  const trial = (memory = 0) => new StepTrial(`{name: aux-auto-weight, memory: ${memory}}`, REWARDS);
  /** positions goes with accuracy, lcs against it. */
  const mixed = rows([1, 0.8, 0.1], [1, 1, 0], [0, 0.2, 0.9], [0, 0, 1]);

  it('counts the primary reward alone before anything is known', () => {
    expect(trial().apply([mixed]).rewards).toEqual([[1, 1, 0, 0]]);
  });

  it('counts a further reward by its correlation within groups, and not at all where that is negative', () => {
    const one = trial();
    one.apply([mixed]);
    const { rewards, logged } = one.apply([mixed], 1);
    const correlation = 0.8 / Math.sqrt(0.68 * 1);
    expect(logged['aux-auto-weight/corr/positions']).toBeCloseTo(correlation, 12);
    expect(logged['aux-auto-weight/corr/lcs']).toBeLessThan(-0.9);
    [1 + 0.4 * correlation, 1 + 0.5 * correlation, 0.1 * correlation, 0].forEach((value, i) => {
      expect(rewards[0][i]).toBeCloseTo(value, 12);
    });
  });

  it('learns nothing of groups in which the primary reward is the same, nor of constants', () => {
    const one = trial();
    one.apply([rows([1, 0.1, 0.7], [1, 0.9, 0.7]), rows([1, 0.5, 0.7], [0, 0.5, 0.7], [null, 1, 1])]);
    const { rewards, logged } = one.apply([mixed], 1);
    expect(logged['aux-auto-weight/corr/positions']).toBe(0);
    expect(rewards).toEqual([[1, 1, 0, 0]]);
  });

  it('is the moving average of what steps show, and comes back from a checkpoint', () => {
    const rng = rngFor('aux');
    const batch = () => [
      rows(...Array.from({ length: 6 }, (_, i) => [i % 2, (i % 2) * 0.3 + rng.float(), rng.float()])),
    ];
    const batches = Array.from({ length: 4 }, batch);
    const [whole, first, second] = [trial(0.9), trial(0.9), trial(0.9)];
    batches.slice(0, 2).forEach((groups, step) => {
      whole.apply(groups, step);
      first.apply(groups, step);
    });
    second.state = first.state;
    batches.slice(2).forEach((groups, i) => {
      expect(second.apply(groups, i + 2)).toEqual(whole.apply(groups, i + 2));
    });
  });
});
