/** The runs of a folder by the names that addresses use. A name is looked up among those that are there, never joined. */
import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { ListedRun } from '../../report/data.ts';
import { differences } from '../actions/runs.ts';
import { removeRun } from '../runs/remove_run.ts';
import { type RunRow, runDirectories, runRows } from '../runs/run_rows.ts';
import { KeptRows } from './kept_rows.ts';

export interface FoundRun {
  /** Path below the folder, with `/`; `.` for the folder itself. */
  readonly name: string;
  readonly directory: string;
}

export class RunFolder {
  readonly #folder: string;
  readonly #rows = new KeptRows();
  /** By name: those that were there at the last look. */
  #known: ReadonlyMap<string, string> = new Map();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Newest first; none where there is no such folder yet. */
  async list(): Promise<ListedRun[]> {
    if (!existsSync(this.#folder)) return [];
    const rows = await runRows(this.#folder, this.#rows.rowOf);
    this.#rows.keep(rows.map(({ directory }) => directory));
    const differing = differences(rows);
    return rows.map((row, i) => ({
      name: this.#nameOf(row.directory),
      condition: row.condition,
      problem: row.problem ?? null,
      title: row.notes?.name ?? '',
      note: row.notes?.note ?? '',
      task: row.task ?? null,
      seed: row.seed ?? null,
      steps: row.steps ?? null,
      left: row.left ?? null,
      greedy: row.greedy ?? null,
      sampled: row.sampled ?? null,
      changedMs: row.changedMs,
      bytes: row.bytes,
      differs: Object.fromEntries(differing[i] ?? []),
    }));
  }

  /** The runs of these names that are there. @throws CheckpointError where there is no such folder */
  async find(names: readonly string[]): Promise<FoundRun[]> {
    if (!(await this.#areKnown(names))) {
      const directories = await runDirectories(this.#folder);
      this.#known = new Map(directories.map((directory) => [this.#nameOf(directory), directory]));
    }
    return names.flatMap((name) => {
      const directory = this.#known.get(name);
      return directory === undefined ? [] : [{ name, directory }];
    });
  }

  /** Removes a run. @throws CheckpointError that says why it stays */
  remove({ directory }: FoundRun): Promise<void> {
    return removeRun(this.#folder, directory);
  }

  /** What the directory of a run tells. */
  rowOf(directory: string): Promise<RunRow> {
    return this.#rows.rowOf(directory);
  }

  /** Whether each was found before, and is still there. */
  async #areKnown(names: readonly string[]): Promise<boolean> {
    const found = await Promise.all(names.map((name) => isThere(this.#known.get(name))));
    return !found.includes(false);
  }

  #nameOf(directory: string): string {
    return relative(this.#folder, directory).split(sep).join('/') || '.';
  }
}

async function isThere(directory: string | undefined): Promise<boolean> {
  if (directory === undefined) return false;
  try {
    await access(directory);
    return true;
  } catch {
    return false;
  }
}
