/** Rows of runs as they were read last, for as long as nothing of a run is written: a list is looked at every few seconds. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type RunRow, rowOf } from '../runs/run_rows.ts';

/**
 * What changes with all that a row tells. Files that are replaced (summary, failure, lock, fingerprint) change the
 * directory that they lie in, which is '' here.
 */
const SIGNS = ['', 'config.yaml', 'metrics.jsonl', 'checkpoints', 'model'];

export class KeptRows {
  readonly #rows = new Map<string, { readonly mark: string; readonly row: RunRow }>();

  /** The row of a directory; read again where it may be another by now. */
  readonly rowOf = async (directory: string): Promise<RunRow> => {
    // Looked at before the row is read: what is written meanwhile is seen the next time.
    const mark = markOf(directory);
    const kept = this.#rows.get(directory);
    if (kept?.mark === mark) return kept.row;
    const row = await rowOf(directory);
    // The process of a run under way may end without a word.
    if (row.condition === 'running') this.#rows.delete(directory);
    else this.#rows.set(directory, { mark, row });
    return row;
  };

  /** Forgets all directories but these. */
  keep(directories: readonly string[]): void {
    const kept = new Set(directories);
    for (const directory of this.#rows.keys()) if (!kept.has(directory)) this.#rows.delete(directory);
  }
}

/** Asked without waiting in between: of hundreds of runs that is several times as quick. */
function markOf(directory: string): string {
  return SIGNS.map((sign) => changeOf(join(directory, sign))).join(' ');
}

/** When a file or directory or its rights changed, and its length; `-` where there is none to be seen. */
function changeOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? '-' : `${found.ctimeMs} ${found.size} ${found.ino}`;
  } catch {
    return '-';
  }
}
