/** What a series of seeds comes to: a row per run, median and range, and the table that shows them. */

import { duration, percent } from '../../../src/format.ts';
import type { Rise } from '../../../src/methods/support/figures/rise.ts';
import type { Summary } from '../../../src/run/summary.ts';
import { median } from '../../zoo/diagnostics/lists.ts';

/** Shares of held-out problems; null where the run was not evaluated. */
interface Shares {
  /** By the best guess. */
  readonly greedy: number | null;
  /** Mean over sampled completions; null too where the config samples none. */
  readonly sampled: number | null;
  /** By one of all samples; null too where there is only one. */
  readonly pass: number | null;
}

/** A run of a series that has ended: what it reached. */
export interface SeedRow extends Shares {
  readonly seed: number;
  readonly directory: string;
  /** Before the first grpo step. */
  readonly before: Shares;
  /** As in summary.json. */
  readonly rise: Rise | null;
  readonly wallSeconds: number;
  readonly weightsSha256: string;
}

/** The middle value, and the two that enclose all. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface Series {
  readonly runs: readonly SeedRow[];
  readonly greedy: Spread | null;
  readonly sampled: Spread | null;
  readonly pass: Spread | null;
  readonly wallSeconds: Spread | null;
}

/** The row of a finished run, from its summary.json. */
export function rowOf(seed: number, directory: string, summary: Summary): SeedRow {
  const { baseline, final, rise = null, wallSeconds, weightsSha256 } = summary;
  return { seed, directory, ...sharesOf(final), before: sharesOf(baseline), rise, wallSeconds, weightsSha256 };
}

function sharesOf(evaluation: Summary['final'] | undefined): Shares {
  const figures = evaluation ?? {};
  const name = Object.keys(figures).find((one) => /^eval_mean@\d+$/.test(one));
  const passed = name === undefined || name.endsWith('@1') ? undefined : figures[name.replace('mean', 'pass')];
  return {
    greedy: figures.eval_accuracy ?? null,
    sampled: (name === undefined ? undefined : figures[name]) ?? null,
    pass: passed ?? null,
  };
}

export function seriesOf(runs: readonly SeedRow[]): Series {
  return {
    runs,
    greedy: spreadOf(runs.flatMap(({ greedy }) => greedy ?? [])),
    sampled: spreadOf(runs.flatMap(({ sampled }) => sampled ?? [])),
    pass: spreadOf(runs.flatMap(({ pass }) => pass ?? [])),
    wallSeconds: spreadOf(runs.map(({ wallSeconds }) => wallSeconds)),
  };
}

/** Null of nothing. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** Lines of a table: a run per line, before → after, then median and range of what was reached. */
export function seriesTable({ runs, greedy, sampled, pass, wallSeconds }: Series): string[] {
  const share = (value: number | null): string => (value === null ? '–' : percent(value));
  const change = ({ before, ...row }: SeedRow, of: keyof Shares): string =>
    before[of] === null || row[of] === null ? share(row[of]) : `${(100 * before[of]).toFixed(1)} → ${share(row[of])}`;
  const range = (spread: Spread | null, text: (value: number) => string): string =>
    spread === null ? '–' : `${text(spread.least)} to ${text(spread.most)}`;
  const rows = [
    ['seed', 'greedy', 'sampled', 'pass@K', 'what rose', 'time', 'run'],
    ...runs.map((row) => [
      String(row.seed),
      change(row, 'greedy'),
      change(row, 'sampled'),
      change(row, 'pass'),
      row.rise ?? '–',
      duration(row.wallSeconds),
      row.directory,
    ]),
    [
      'median',
      share(greedy?.median ?? null),
      share(sampled?.median ?? null),
      share(pass?.median ?? null),
      '',
      wallSeconds === null ? '–' : duration(wallSeconds.median),
      '',
    ],
    [
      'range',
      range(greedy, percent),
      range(sampled, percent),
      range(pass, percent),
      '',
      range(wallSeconds, duration),
      '',
    ],
  ];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...rows.map((cells) => cells[column].length)));
  return rows.map(([first, ...cells]) =>
    [first.padEnd(widths[0]), ...cells.map((cell, i) => (i < 5 ? cell.padStart(widths[i + 1]) : cell))]
      .join('  ')
      .trimEnd(),
  );
}
