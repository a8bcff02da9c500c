/** The list of seeds, and what a series comes to. */
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/run/summary.ts';
import { parseSeeds } from '../training/seed_list.ts';
import { rowOf, type SeedRow, seriesOf, seriesTable, spreadOf } from '../training/seed_series.ts';

describe('a list of seeds', () => {
  it.each([
    ['0..4', [0, 1, 2, 3, 4]],
    ['0,3,7', [0, 3, 7]],
    ['5', [5]],
    [' 0 .. 2 , 9', [0, 1, 2, 9]],
    ['4294967295', [4294967295]],
  ])('%s', (text, seeds) => {
    expect(parseSeeds(text)).toEqual(seeds);
  });

  it.each([
    ['', '"" is no seed'],
    ['0-4', '"0-4" is no seed'],
    ['0..', '"0.." is no seed'],
    ['-1', '"-1" is no seed'],
    ['1.5', '"1.5" is no seed'],
    ['4..0', '4..0 runs backwards; give 0..4'],
    ['0..3,2', 'seed 2 is named twice'],
    ['4294967296', '4294967296 is too large'],
    ['0..1000', '0..1000 is more than 1000 runs'],
    ['0..999,2000..2999', '2000 are more than 1000 runs'],
  ])('"%s" is refused', (text, says) => {
    expect(() => parseSeeds(text)).toThrow(says);
  });
});

it.each([
  [[3], { median: 3, least: 3, most: 3 }],
  [[5, 1, 3], { median: 3, least: 1, most: 5 }],
  [[4, 1, 2, 8], { median: 3, least: 1, most: 8 }],
])('median and range of %j', (values, spread) => {
  expect(spreadOf(values)).toEqual(spread);
});

const summaryWith = (final: Summary['final']): Summary =>
  ({ final, wallSeconds: 65, weightsSha256: 'ab' }) as unknown as Summary;

const row = (seed: number, greedy: number | null, sampled: number | null): SeedRow => ({
  ...{ greedy, sampled, pass: sampled && sampled + 0.1, rise: sampled === null ? null : 'solves more' },
  before: { greedy: greedy && 0.4, sampled: sampled && 0.2, pass: sampled && 0.5 },
  ...{ seed, directory: `runs/a-seed${seed}`, wallSeconds: 60 * (seed + 1), weightsSha256: 'ab' },
});

it('a run without samples or without an evaluation has no figure, and no share in the median', () => {
  const full = { eval_accuracy: 0.5, eval_accuracy_low: 0.4, 'eval_mean@4': 0.25, 'eval_mean@4_low': 0.2 };
  expect(rowOf(1, 'd', summaryWith({ ...full, 'eval_pass@4': 0.6 }))).toMatchObject({
    greedy: 0.5,
    sampled: 0.25,
    pass: 0.6,
  });
  expect(rowOf(1, 'd', summaryWith({ ...full, 'eval_mean@1': 0.5 })).before).toEqual({
    greedy: null,
    sampled: null,
    pass: null,
  });
  expect(rowOf(1, 'd', summaryWith({ eval_accuracy: 0.5 }))).toMatchObject({ greedy: 0.5, sampled: null });
  expect(rowOf(1, 'd', summaryWith(null))).toMatchObject({ greedy: null, sampled: null });
  const series = seriesOf([row(0, 0.5, null), row(1, null, null), row(2, 0.7, null)]);
  expect(series.greedy).toEqual({ median: 0.6, least: 0.5, most: 0.7 });
  expect(series.sampled).toBeNull();
});

it('the table has a line per run, then median and range', () => {
  expect(seriesTable(seriesOf([row(0, 0.619, 0.571), row(1, 0.66, 0.6), row(12, 0.592, null)]))).toEqual([
    'seed              greedy           sampled            pass@K    what rose               time  run',
    '0          40.0 → 61.9 %     20.0 → 57.1 %     50.0 → 67.1 %  solves more             1m 00s  runs/a-seed0',
    '1          40.0 → 66.0 %     20.0 → 60.0 %     50.0 → 70.0 %  solves more             2m 00s  runs/a-seed1',
    '12         40.0 → 59.2 %                 –                 –            –            13m 00s  runs/a-seed12',
    'median            61.9 %            58.5 %            68.5 %                          2m 00s',
    'range   59.2 % to 66.0 %  57.1 % to 60.0 %  67.1 % to 70.0 %               1m 00s to 13m 00s',
  ]);
});
