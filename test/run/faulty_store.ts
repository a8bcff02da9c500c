import { CheckpointError } from '../../src/errors.ts';
import type { Store } from '../../src/run/store/store.ts';

/** The moment of a crash within the operation where it happens: before it has any effect, after, or midway. */
export type CrashMoment = 'before' | 'midway' | 'after';

export interface FaultyStore extends Store {
  /** Changing operations asked for so far. */
  operations(): number;
}

/**
 * A store whose process dies in its `crashAt`-th changing operation (counted from 0): that one and all later ones
 * reject. Midway, a directory has lost one of its files, and an append has written half of its text.
 */
export function crashingStore(inner: Store, crashAt: number, moment: CrashMoment): FaultyStore {
  let count = 0;
  const faulty = wrap(inner, async (operation, path, run) => {
    const index = count++;
    if (index > crashAt) throw new Error('the process is dead');
    if (index < crashAt) return run();
    if (moment === 'after') await run();
    if (moment === 'midway' && operation === 'remove') {
      const [first] = await inner.list(path);
      if (first !== undefined) await inner.remove(`${path}/${first}`);
    }
    throw new Error('crash');
  });
  return { ...faulty, operations: () => count };
}

/** A store whose disk is full while `isFull()`: writes leave nothing, appends leave half their text. */
export function fullStore(inner: Store, isFull: () => boolean): Store {
  const store = wrap(inner, async (operation, path, run) => {
    const needsSpace = operation === 'writeAtomic' || operation === 'append';
    if (needsSpace && isFull())
      throw new CheckpointError('disk-full', `${path}: no space is left on the disk (ENOSPC).`);
    return run();
  });
  const append = async (path: string, content: string | Uint8Array): Promise<void> => {
    if (isFull()) await inner.append(path, content.slice(0, content.length / 2));
    return store.append(path, content);
  };
  return { ...store, append };
}

/** Operations that change the disk; reads cannot lose anything. */
type Change = 'writeAtomic' | 'append' | 'sync' | 'truncate' | 'remove' | 'renameDirectory';

function wrap(inner: Store, around: (name: Change, path: string, run: () => Promise<void>) => Promise<void>): Store {
  return {
    read: (path) => inner.read(path),
    readRange: (path, begin, end) => inner.readRange(path, begin, end),
    size: (path) => inner.size(path),
    list: (directory) => inner.list(directory),
    exists: (path) => inner.exists(path),
    writeAtomic: (path, bytes) => around('writeAtomic', path, () => inner.writeAtomic(path, bytes)),
    append: (path, content) => around('append', path, () => inner.append(path, content)),
    sync: (path) => around('sync', path, () => inner.sync(path)),
    truncate: (path, bytes) => around('truncate', path, () => inner.truncate(path, bytes)),
    remove: (path) => around('remove', path, () => inner.remove(path)),
    claim: () => inner.claim(),
    removeLeftovers: () => inner.removeLeftovers(),
    renameDirectory: (from, to) => around('renameDirectory', from, () => inner.renameDirectory(from, to)),
  };
}
