/** The runs of a folder by the names that addresses use. A name is looked up among those that are there, never joined. */
import { relative, sep } from 'node:path';
import { type RunRow, runDirectories, runRows } from '../run_rows.ts';
import { differences } from '../runs.ts';

export interface FoundRun {
  /** Path below the folder, with `/`; `.` for the folder itself. */
  readonly name: string;
  readonly directory: string;
}

/** A run as the page lists it. */
export interface ListedRun {
  readonly name: string;
  readonly condition: RunRow['condition'];
  readonly problem: string | null;
  readonly task: string | null;
  readonly seed: number | null;
  readonly steps: { readonly done: number; readonly planned: number } | null;
  readonly greedy: number | null;
  readonly sampled: number | null;
  /** Milliseconds since 1970. */
  readonly changedMs: number;
  readonly bytes: number;
  /** Keys of the config that differ from other runs of the task, with their values here. */
  readonly differs: Readonly<Record<string, string>>;
  /** The same for runs whose configs differ in the seed alone. */
  readonly group: string;
}

/** Newest first. @throws CheckpointError where there is no such folder */
export async function listedRuns(folder: string): Promise<ListedRun[]> {
  const rows = await runRows(folder);
  const differing = differences(rows);
  return rows.map((row, i) => ({
    name: nameOf(folder, row.directory),
    condition: row.condition,
    problem: row.problem ?? null,
    task: row.task ?? null,
    seed: row.seed ?? null,
    steps: row.steps ?? null,
    greedy: row.greedy ?? null,
    sampled: row.sampled ?? null,
    changedMs: row.changedMs,
    bytes: row.bytes,
    differs: Object.fromEntries(differing[i] ?? []),
    group: groupOf(row),
  }));
}

/** The runs of these names that are there. @throws CheckpointError where there is no such folder */
export async function findRuns(folder: string, names: readonly string[]): Promise<FoundRun[]> {
  const directories = await runDirectories(folder);
  const known = new Map(directories.map((directory) => [nameOf(folder, directory), directory]));
  return names.flatMap((name) => {
    const directory = known.get(name);
    return directory === undefined ? [] : [{ name, directory }];
  });
}

function nameOf(folder: string, directory: string): string {
  return relative(folder, directory).split(sep).join('/') || '.';
}

/** The config that decides bits, without the seed; a run whose config cannot be read is alone. */
export function groupOf({ directory, config }: RunRow): string {
  return config.size === 0 ? directory : JSON.stringify([...config].sort(([a], [b]) => (a < b ? -1 : 1)));
}
