/**
 * Files take the place of a kept run, all of them or none: they are written beside it, then marked as whole, and only
 * then is it removed. A page that ends in the middle of that leaves a folder with the mark, from which the next one continues.
 */
import type { Store } from '../../../src/run/store/store.ts';
import { hasKeptRun, opfsStore, removeKeptRun } from './opfs_store.ts';
import { copyFolder } from './refuge_store.ts';

/** Written last: all files are there. */
const WHOLE = '.whole';

/** Staging path for a run that replaces this one. A name that begins with a dot is no run. */
const incomingOf = (name: string): string => `.incoming-${name}`;

/**
 * Puts files in the place of a kept run, and finishes a replacement that was cut short. To be called by who holds the
 * run's claim.
 *
 * @throws CheckpointError, with the old run as it was, where there is no room for both
 */
export async function replaceKeptRun(name: string, files?: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const place = incomingOf(name);
  if (files !== undefined) await stage(place, files);
  if (!(await hasKeptRun(place))) return;
  const incoming = await opfsStore(place);
  if (await incoming.exists(WHOLE)) {
    await removeKeptRun(name);
    // OPFS cannot rename a folder everywhere.
    await copyFolder(incoming, await opfsStore(name), '', [WHOLE]);
  }
  await removeKeptRun(place);
}

async function stage(place: string, files: ReadonlyMap<string, Uint8Array>): Promise<Store> {
  await removeKeptRun(place);
  const incoming = await opfsStore(place);
  try {
    for (const [path, bytes] of files) await incoming.writeAtomic(path, bytes);
    await incoming.writeAtomic(WHOLE, new Uint8Array(0));
    return incoming;
  } catch (error) {
    await removeKeptRun(place).catch(() => undefined); // the first error counts
    throw error;
  }
}
