/** Where a run is kept: the browser's file system, unless another tab has it or there is none. */
import { CheckpointError } from '../../../src/errors.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';
import type { StorageReport } from '../browser_run.ts';
import { opfsStore } from './opfs_store.ts';
import { refugeStore } from './refuge_store.ts';
import { replaceKeptRun } from './replacement.ts';

export interface KeptStore {
  readonly store: Store;
  readonly report: StorageReport;
  /** Lets another tab have the run. */
  readonly release: () => Promise<void>;
}

/**
 * @param refused   called with why storage stopped taking what is written; the run is in memory from then on
 * @param instead   files that take the place of what is kept, all or none of them
 */
export async function openKept(
  name: string,
  refused: (reason: string) => void,
  instead?: ReadonlyMap<string, Uint8Array>,
): Promise<KeptStore> {
  try {
    await settled(name, instead);
    const disk = await opfsStore(name);
    const claim = await disk.claim();
    const store = refugeStore(disk, (reason) =>
      refused(`${reason} What was saved before is kept; from here on the run is in memory only. Save it to a file.`),
    );
    return { store, report: { kind: 'kept', reason: '' }, release: () => claim.release() };
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    const reason =
      error.code === 'run-under-way'
        ? 'Another tab has this run open; here it is a new one, in memory only, and gone with the page.'
        : `${error.message} The run is in memory only; save it to a file to keep it.`;
    return { store: refugeStore(memoryStore(), refused), report: { kind: 'memory', reason }, release: async () => {} };
  }
}

/** Replaces the run, or finishes a replacement of before, while no other tab has it. The store that is used comes after. */
async function settled(name: string, instead: ReadonlyMap<string, Uint8Array> | undefined): Promise<void> {
  const claim = await (await opfsStore(name)).claim();
  try {
    await replaceKeptRun(name, instead);
  } finally {
    await claim.release();
  }
}
