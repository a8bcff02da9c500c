/** What a series of seeds comes to: a row per run, median and range, and the table that shows them. */
import { median } from '../../diagnostics/lists.ts';
import { duration, percent } from '../../format.ts';
import type { Summary } from '../../run/summary.ts';

/** A run of a series that has ended. */
export interface SeedRow {
  readonly seed: number;
  readonly directory: string;
  /** Share of held-out problems right, sampled greedily; null where the run ended without an evaluation. */
  readonly greedy: number | null;
  /** Mean over sampled completions; null too where the config samples none. */
  readonly sampled: number | null;
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
  readonly wallSeconds: Spread | null;
}

/** The row of a finished run, from its summary.json. */
export function rowOf(seed: number, directory: string, summary: Summary): SeedRow {
  const { final, wallSeconds, weightsSha256 } = summary;
  const sampled = Object.entries(final ?? {}).find(([name]) => /^eval_mean@\d+$/.test(name))?.[1];
  return {
    seed,
    directory,
    greedy: final?.eval_accuracy ?? null,
    sampled: sampled ?? null,
    wallSeconds,
    weightsSha256,
  };
}

export function seriesOf(runs: readonly SeedRow[]): Series {
  return {
    runs,
    greedy: spreadOf(runs.flatMap(({ greedy }) => greedy ?? [])),
    sampled: spreadOf(runs.flatMap(({ sampled }) => sampled ?? [])),
    wallSeconds: spreadOf(runs.map(({ wallSeconds }) => wallSeconds)),
  };
}

/** Null of nothing. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** Lines of a table: a run per line, then median and range. */
export function seriesTable({ runs, greedy, sampled, wallSeconds }: Series): string[] {
  const share = (value: number | null): string => (value === null ? '–' : percent(value));
  const range = (spread: Spread | null, text: (value: number) => string): string =>
    spread === null ? '–' : `${text(spread.least)} to ${text(spread.most)}`;
  const rows = [
    ['seed', 'greedy', 'sampled', 'time', 'run'],
    ...runs.map((row) => [
      String(row.seed),
      share(row.greedy),
      share(row.sampled),
      duration(row.wallSeconds),
      row.directory,
    ]),
    [
      'median',
      share(greedy?.median ?? null),
      share(sampled?.median ?? null),
      wallSeconds === null ? '–' : duration(wallSeconds.median),
      '',
    ],
    ['range', range(greedy, percent), range(sampled, percent), range(wallSeconds, duration), ''],
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((cells) => cells[column].length)));
  return rows.map(([first, ...cells]) =>
    [first.padEnd(widths[0]), ...cells.map((cell, i) => (i < 3 ? cell.padStart(widths[i + 1]) : cell))]
      .join('  ')
      .trimEnd(),
  );
}
