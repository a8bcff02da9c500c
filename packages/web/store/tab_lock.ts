/** A kept run is open in one tab at a time: the browser's own locks, which it frees when a tab ends. */
import { CheckpointError } from '../../../src/errors.ts';
import type { Claim } from '../../../src/run/store/store.ts';

/** How often a name that another tab holds is asked for again: a page that reloads lets go of its own a moment late. */
const LOCK_ATTEMPTS = 10;
const LOCK_PAUSE_MS = 200;

/** Holds the name of a run against other tabs of the site. @throws CheckpointError `run-under-way` where one has it */
export async function lockAmongTabs(name: string): Promise<Claim> {
  const { locks } = globalThis.navigator;
  if (locks === undefined) return claim(() => {});
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
    const release = await tryLock(locks, `rlvr-train/${name}`);
    if (release !== undefined) return claim(release);
    await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
  }
  throw new CheckpointError('run-under-way', `${name} is open in another tab; close it there.`, { name });
}

function claim(release: () => void): Claim {
  return { holds: async () => true, release: async () => release() };
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
