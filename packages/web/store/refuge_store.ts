/** A store that moves into memory when its disk refuses a write: a full disk ends no training. */
import { CheckpointError } from '../../../src/errors.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';

/** Codes of the errors after which a disk is given up. */
const REFUSALS = ['disk-full', 'file-failed', 'storage-denied'];

/**
 * @param disk    what was saved there before it refused stays there
 * @param refused  called once with why the run is in memory from now on
 */
export function refugeStore(disk: Store, refused: (reason: string) => void): Store {
  return new RefugeStore(disk, refused);
}

class RefugeStore implements Store {
  readonly #disk: Store;
  #store: Store;
  #moving: Promise<void> | undefined;
  readonly #refused: (reason: string) => void;

  constructor(disk: Store, refused: (reason: string) => void) {
    this.#disk = disk;
    this.#store = disk;
    this.#refused = refused;
  }

  read: Store['read'] = (path) => this.#store.read(path);
  readRange: Store['readRange'] = (path, begin, end) => this.#store.readRange(path, begin, end);
  size: Store['size'] = (path) => this.#store.size(path);
  list: Store['list'] = (directory) => this.#store.list(directory);
  exists: Store['exists'] = (path) => this.#store.exists(path);
  writeAtomic: Store['writeAtomic'] = (path, bytes) => this.#write((store) => store.writeAtomic(path, bytes));
  append: Store['append'] = (path, content) => this.#write((store) => store.append(path, content));
  sync: Store['sync'] = (path) => this.#write((store) => store.sync(path));
  truncate: Store['truncate'] = (path, bytes) => this.#write((store) => store.truncate(path, bytes));
  remove: Store['remove'] = (path) => this.#write((store) => store.remove(path));
  renameDirectory: Store['renameDirectory'] = (from, to) => this.#write((store) => store.renameDirectory(from, to));

  /** The disk's, though the run may have moved: what is kept there stays this run's. */
  claim: Store['claim'] = () => this.#disk.claim();
  removeLeftovers: Store['removeLeftovers'] = () => this.#write((store) => store.removeLeftovers());

  async #write(operation: (store: Store) => Promise<void>): Promise<void> {
    const asked = this.#store;
    try {
      await operation(asked);
    } catch (error) {
      if (!(error instanceof CheckpointError) || !REFUSALS.includes(error.code)) throw error;
      this.#moving ??= this.#move(error);
      await this.#moving;
      if (this.#store === asked) throw error; // memory refused, too
      await operation(this.#store);
    }
  }

  async #move(reason: CheckpointError): Promise<void> {
    const memory = memoryStore();
    await copyFolder(this.#store, memory, '');
    this.#store = memory;
    this.#refused(reason.message);
  }
}

/** @param without  names that are left out */
export async function copyFolder(
  from: Store,
  to: Store,
  folder: string,
  without: readonly string[] = [],
): Promise<void> {
  for (const name of await from.list(folder)) {
    if (without.includes(name)) continue;
    const path = folder === '' ? name : `${folder}/${name}`;
    const bytes = await from.read(path);
    if (bytes === undefined) await copyFolder(from, to, path, without);
    else await to.writeAtomic(path, bytes);
  }
}

/** Every file of a store by its path. */
export async function allFiles(store: Store, folder = ''): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of await store.list(folder)) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const bytes = await store.read(path);
    if (bytes !== undefined) files.set(path, bytes);
    else for (const [inner, content] of await allFiles(store, path)) files.set(inner, content);
  }
  return files;
}
