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
  readonly release: () => void;
}

/** How often a name that another tab holds is asked for again: a page that reloads lets go of its own a moment late. */
const LOCK_ATTEMPTS = 10;
const LOCK_PAUSE_MS = 200;

/** @param refused  hears why storage stopped taking what is written; the run is in memory from then on */
export async function openKept(name: string, refused: (reason: string) => void): Promise<KeptStore> {
  const inMemory = (): Store => refugeStore(memoryStore(), refused);
  const release = await lock(`rlvr-train/${name}`);
  if (release === undefined) {
    const reason = 'Another tab has this run open; here it is a new one, in memory only, and gone with the page.';
    return { store: inMemory(), report: { kind: 'memory', reason }, release: () => {} };
  }
  try {
    const store = refugeStore(await opfsStore(name), (reason) =>
      refused(`${reason} What was saved before is kept; from here on the run is in memory only. Save it to a file.`),
    );
    return { store, report: { kind: 'kept', reason: '' }, release };
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    const reason = `${error.message} The run is in memory only; save it to a file to keep it.`;
    return { store: inMemory(), report: { kind: 'memory', reason }, release };
  }
}

/** Holds a name against other tabs of the site; undefined where one has it. The browser frees it when the tab ends. */
async function lock(name: string): Promise<(() => void) | undefined> {
  const { locks } = globalThis.navigator;
  if (locks === undefined) return () => {};
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
    const release = await tryLock(locks, name);
    if (release !== undefined) return release;
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
  }
  return undefined;
}

function tryLock(locks: LockManager, name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    locks
      .request(name, { ifAvailable: true }, (held) => {
        if (held === null) return resolve(undefined);
        return new Promise<void>((free) => resolve(free));
      })
      .catch(reject);
  });
}
