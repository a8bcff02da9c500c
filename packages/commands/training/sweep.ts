/** `--sweep learning_rate=1e-4,3e-4`: the values of a key that a series is trained with, each with every seed. */

import { percent } from '../../../src/format.ts';
import { type SeedRow, seriesOf } from './seed_series.ts';
import type { Sweep } from './sweep_list.ts';

/** What the runs of one row of the table have in common. */
export interface Setting {
  /** `learning_rate=1e-4`, with more keys one after the other; empty for the config as it is. */
  readonly name: string;
  /** The same, as `--set` takes them. */
  readonly set: readonly string[];
}

/** Every combination, the first key's values outermost; without a sweep the config as it is. */
export function settingsOf(sweeps: readonly Sweep[]): Setting[] {
  const combinations = sweeps.reduce<readonly (readonly string[])[]>(
    (sets, { key, values }) => sets.flatMap((set) => values.map((value) => [...set, `${key}=${value}`])),
    [[]],
  );
  return combinations.map((set) => ({ name: set.join(' '), set }));
}

/** What is added to the name of a directory: `-learning_rate=1e-4`. */
export function directoryPart({ name }: Setting): string {
  return name === '' ? '' : `-${name.replace(/[^\w.=+-]+/g, '_')}`;
}

/** A row of the table that ends a sweep. */
export interface SweptRow {
  readonly setting: Setting;
  readonly runs: readonly SeedRow[];
}

/** Lines of that table: a setting per line, median over its seeds and range; best sampled median marked, of equal ones by greedy. */
export function sweepTable(rows: readonly SweptRow[]): string[] {
  const all = rows.map(({ setting, runs }) => ({ setting, series: seriesOf(runs) }));
  const most = Math.max(...all.map(({ series }) => series.sampled?.median ?? -1));
  const first = all.filter(({ series }) => series.sampled?.median === most);
  const best = Math.max(...first.map(({ series }) => series.greedy?.median ?? -1));
  const cells = all.map(({ setting, series: { runs, greedy, sampled } }) => {
    const shown = (spread: typeof greedy): string =>
      spread === null ? '–' : `${percent(spread.median)} (${percent(spread.least)} to ${percent(spread.most)})`;
    const mark = rows.length > 1 && sampled?.median === most && (greedy?.median ?? -1) === best ? '  best' : '';
    return [setting.name, String(runs.length), shown(greedy), shown(sampled) + mark];
  });
  const table = [['setting', 'seeds', 'greedy', 'sampled'], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column].length)));
  return table.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
