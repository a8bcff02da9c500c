/** What a page gets of the runs that it shows: their stages, and which of them differ in the seed alone. */

import { fileStore } from '../../../src/run/store/files.node.ts';
import type { ServedRun } from '../../report/data.ts';
import { readOutline } from '../../report/outline.ts';
import { differences } from '../actions/runs.ts';
import type { RunRow } from '../runs/run_rows.ts';
import type { FoundRun, RunFolder } from './folder.ts';

/** Keys in which runs differ that a page names; more would hide what differs. */
const MOST_KEYS = 6;

/** In the order that they were asked for. @throws CheckpointError where one is damaged */
export async function servedRuns(folder: RunFolder, runs: readonly FoundRun[]): Promise<readonly ServedRun[]> {
  const rows = await Promise.all(runs.map(({ directory }) => folder.rowOf(directory)));
  const differing = differences(rows);
  const hasManyTasks = new Set(rows.map(({ task }) => task)).size > 1;
  return Promise.all(
    runs.map(async ({ name, directory }, i) => {
      const { outline } = await readOutline(fileStore(directory));
      const row = rows[i];
      const keys = [...(hasManyTasks ? [['task', row.task ?? '–'] as const] : []), ...differing[i]];
      return {
        name,
        title: row.notes?.name || name,
        note: row.notes?.note ?? '',
        outline,
        isRunning: row.condition === 'running',
        seed: row.seed ?? null,
        group: groupOf(row),
        differs: Object.fromEntries(keys.slice(0, MOST_KEYS)),
      };
    }),
  );
}

/** The config that decides bits, without the seed; a run whose config cannot be read is alone. */
function groupOf({ directory, config }: RunRow): string {
  return config.size === 0 ? directory : JSON.stringify([...config].sort(([a], [b]) => (a < b ? -1 : 1)));
}
