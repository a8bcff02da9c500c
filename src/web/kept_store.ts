/** Where a run is kept: the browser's file system, unless another tab has it or there is none. */
import { CheckpointError } from '../errors.ts';
import { memoryStore, type Store } from '../run/store.ts';
import type { StorageReport } from './browser_run.ts';
import { opfsStore } from './opfs_store.ts';
import { refugeStore } from './refuge_store.ts';

export interface KeptStore {
  readonly store: Store;
  readonly report: StorageReport;
  /** Lets another tab have the run. */
  readonly release: () => Promise<void>;
}

/** @param refused  hears why storage stopped taking what is written; the run is in memory from then on */
export async function openKept(name: string, refused: (reason: string) => void): Promise<KeptStore> {
  try {
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
