/** `--sweep`: which settings it means, and the table that it ends with. */
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/run/summary.ts';
import { rowOf } from '../training/seed_series.ts';
import { directoryPart, settingsOf, sweepTable } from '../training/sweep.ts';
import { readSweep } from '../training/sweep_list.ts';

describe('a sweep', () => {
  it('is every combination of its values, in the order in which they are typed', () => {
    const sweeps = readSweep('beta=0,0.04', readSweep('learning_rate=1e-4, 3e-4'));
    expect(settingsOf(sweeps).map(({ name }) => name)).toEqual([
      'learning_rate=1e-4 beta=0',
      'learning_rate=1e-4 beta=0.04',
      'learning_rate=3e-4 beta=0',
      'learning_rate=3e-4 beta=0.04',
    ]);
    expect(settingsOf([])).toEqual([{ name: '', set: [] }]);
  });

  it('takes lists and mappings as values, and names directories without their brackets', () => {
    const [first, second] = settingsOf(readSweep('reward_funcs=[accuracy, lcs],[{name: length, target: 3}]'));
    expect(first.set).toEqual(['reward_funcs=[accuracy, lcs]']);
    expect(second.set).toEqual(['reward_funcs=[{name: length, target: 3}]']);
    expect(directoryPart(first)).toBe('-reward_funcs=_accuracy_lcs_');
  });

  it.each([
    ['learning_rate', 'give a key and two values or more'],
    ['learning_rate=1e-4', 'give a key and two values or more'],
    ['learning_rate=1e-4,', 'give a key and two values or more'],
    ['=1,2', 'give a key and two values or more'],
    ['beta=1,1', '1 is named twice; name it once'],
    [`seed=${Array.from({ length: 101 }, (_, i) => i)}`, '101 settings are more than 100; give fewer'],
  ])('%s is refused', (text, rule) => {
    expect(() => readSweep(text)).toThrow(rule);
  });

  it('has a key once', () => {
    expect(() => readSweep('beta=3,4', readSweep('beta=1,2'))).toThrow('beta has a --sweep already');
  });
});

it('the table has a line per setting, and marks the best', () => {
  const run = (seed: number, greedy: number, sampled: number) =>
    rowOf(seed, 'd', {
      final: { eval_accuracy: greedy, 'eval_mean@4': sampled },
      wallSeconds: 1,
    } as unknown as Summary);
  const [a, b] = settingsOf(readSweep('beta=0,0.1'));
  expect(
    sweepTable([
      { setting: a, runs: [run(0, 0.5, 0.2), run(1, 0.7, 0.4)] },
      { setting: b, runs: [run(0, 0.6, 0.5)] },
    ]),
  ).toEqual([
    'setting   seeds  greedy                     sampled',
    'beta=0    2      60.0 % (50.0 % to 70.0 %)  30.0 % (20.0 % to 40.0 %)',
    'beta=0.1  1      60.0 % (60.0 % to 60.0 %)  50.0 % (50.0 % to 50.0 %)  best',
  ]);
  const even = [
    { setting: a, runs: [run(0, 0.5, 0.2)] },
    { setting: b, runs: [run(0, 0.6, 0.2)] },
  ];
  expect(sweepTable(even).map((line) => line.endsWith('best'))).toEqual([false, false, true]);
});
