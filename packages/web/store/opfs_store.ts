/**
 * A run directory in the browser's own file system (OPFS): private to the site, kept over reloads, never seen by others.
 *
 * A file is replaced through `createWritable`, which swaps it in when it is closed: a reader sees the old bytes or the
 * new. Appending uses a synchronous access handle where there is one (workers), since a writable would copy the file.
 */
import { CheckpointError } from '../../../src/errors.ts';
import { assertStorePath, countedClaim, type Store } from '../../../src/run/store/store.ts';
import { type Directory, folder, rootDirectory } from './root_directory.ts';
import { lockAmongTabs } from './tab_lock.ts';

/** What the specification has, and the TypeScript library does not know in every context. */
interface AccessHandle {
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}
type FileHandle = FileSystemFileHandle & { readonly createSyncAccessHandle?: () => Promise<AccessHandle> };

/**
 * The run directory of that name.
 * @throws CheckpointError `storage-denied` where the browser gives no storage, as in some private windows
 */
export async function opfsStore(name: string): Promise<Store> {
  assertStorePath(name);
  return new OpfsStore(await folder(await rootDirectory(), name), name);
}

/** Names of the runs that are kept, sorted. @throws CheckpointError as `opfsStore` */
export async function keptRuns(): Promise<string[]> {
  const names: string[] = [];
  for await (const name of (await rootDirectory()).keys()) if (!name.startsWith('.')) names.push(name);
  return names.sort();
}

/** Whether there is a folder of that name. @throws CheckpointError as `opfsStore` */
export async function hasKeptRun(name: string): Promise<boolean> {
  const root = await rootDirectory();
  return (await unlessMissing(root.getDirectoryHandle(name))) !== undefined;
}

/** Removes a kept run and all its files; nothing happens where there is none. @throws CheckpointError */
export async function removeKeptRun(name: string): Promise<void> {
  const root = await rootDirectory();
  await unlessMissing(guard('removed', name, () => root.removeEntry(name, { recursive: true })));
}

class OpfsStore implements Store {
  readonly #root: Directory;
  readonly #name: string;

  constructor(root: Directory, name: string) {
    this.#root = root;
    this.#name = name;
  }

  async read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#guard('read', path, async () => {
      const file = await this.#file(path);
      return file && new Uint8Array(await (await file.getFile()).arrayBuffer());
    });
  }

  async readRange(path: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#guard('read', path, async () => {
      const file = await this.#file(path);
      return file && new Uint8Array(await (await file.getFile()).slice(begin, end).arrayBuffer());
    });
  }

  async writeAtomic(path: string, bytes: Uint8Array): Promise<void> {
    await this.#guard('written', path, async () => {
      const file = await this.#file(path, { create: true });
      const writable = await file!.createWritable(); // created
      try {
        await writable.write(new Uint8Array(bytes)); // a copy: shared memory is refused
      } catch (error) {
        await writable.abort().catch(() => undefined);
        throw error;
      }
      await writable.close();
    });
  }

  async append(path: string, content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
    await this.#guard('written', path, async () => {
      const file = (await this.#file(path, { create: true })) as FileHandle;
      await changeFile(file, {
        directly: (handle) => {
          const written = handle.write(bytes, { at: handle.getSize() });
          if (written < bytes.length) throw new DOMException('the quota is used up', 'QuotaExceededError');
        },
        byCopy: async (writable, size) => {
          await writable.seek(size);
          await writable.write(bytes);
        },
      });
    });
  }

  /** Every change above is flushed before it resolves. */
  async sync(path: string): Promise<void> {
    assertStorePath(path);
  }

  async truncate(path: string, bytes: number): Promise<void> {
    await this.#guard('written', path, async () => {
      const file = (await this.#file(path)) as FileHandle | undefined;
      if (file === undefined || (await file.getFile()).size <= bytes) return;
      await changeFile(file, {
        directly: (handle) => handle.truncate(bytes),
        byCopy: (writable) => writable.truncate(bytes),
      });
    });
  }

  async size(path: string): Promise<number | undefined> {
    return this.#guard('read', path, async () => {
      const file = await this.#file(path);
      return file && (await file.getFile()).size;
    });
  }

  async list(directory: string): Promise<string[]> {
    return this.#guard('read', directory || this.#name, async () => {
      const found = directory === '' ? this.#root : await this.#directory(directory.split('/'));
      const names: string[] = [];
      if (found !== undefined) for await (const name of found.keys()) names.push(name);
      return names.sort();
    });
  }

  async exists(path: string): Promise<boolean> {
    return this.#guard('read', path, async () => {
      if ((await this.#file(path)) !== undefined) return true;
      const directory = await this.#directory(path.split('/'));
      return directory !== undefined && (await this.list(path)).length > 0;
    });
  }

  async remove(path: string): Promise<void> {
    await this.#guard('removed', path, async () => {
      const names = path.split('/');
      const parent = await this.#directory(names.slice(0, -1));
      await unlessMissing(parent?.removeEntry(names.at(-1) as string, { recursive: true }));
    });
  }

  /** Copies, `manifest.json` last: OPFS cannot rename a directory everywhere. */
  async renameDirectory(from: string, to: string): Promise<void> {
    assertStorePath(from);
    const names = await this.list(from);
    if (names.length === 0 || (await this.exists(to))) {
      const reason = names.length === 0 ? 'there is no such directory' : 'the new name is taken';
      throw new CheckpointError('rename-failed', `Run directory: ${from} cannot become ${to}: ${reason}.`, {
        from,
        to,
      });
    }
    const isLast = (name: string): boolean => name === 'manifest.json';
    for (const name of [...names.filter((other) => !isLast(other)), ...names.filter(isLast)]) {
      const bytes = await this.read(`${from}/${name}`);
      if (bytes !== undefined) await this.writeAtomic(`${to}/${name}`, bytes);
    }
    await this.remove(from);
  }

  /** Against other tabs of the site. */
  readonly claim = countedClaim(() => lockAmongTabs(this.#name));

  /** A writable that was never closed leaves nothing. */
  async removeLeftovers(): Promise<void> {}

  async #guard<T>(action: string, path: string, operation: () => Promise<T>): Promise<T> {
    if (path !== this.#name) assertStorePath(path);
    return guard(action, `${this.#name}/${path}`, operation);
  }

  async #file(path: string, { create = false } = {}): Promise<FileSystemFileHandle | undefined> {
    const names = path.split('/');
    const parent = await this.#directory(names.slice(0, -1), { create });
    return unlessMissing(parent?.getFileHandle(names.at(-1) as string, { create }));
  }

  async #directory(names: readonly string[], { create = false } = {}): Promise<Directory | undefined> {
    let directory: Directory | undefined = this.#root;
    for (const name of names) {
      directory = (await unlessMissing(directory?.getDirectoryHandle(name, { create }))) as Directory | undefined;
    }
    return directory;
  }
}

interface Change {
  readonly directly: (handle: AccessHandle) => void;
  readonly byCopy: (writable: FileSystemWritableFileStream, size: number) => Promise<void>;
}

async function changeFile(file: FileHandle, { directly, byCopy }: Change): Promise<void> {
  if (file.createSyncAccessHandle === undefined) {
    const { size } = await file.getFile();
    const writable = await file.createWritable({ keepExistingData: true });
    await byCopy(writable, size);
    await writable.close();
    return;
  }
  const handle = await file.createSyncAccessHandle();
  try {
    directly(handle);
    handle.flush();
  } finally {
    handle.close();
  }
}

/** Exceptions that say that there is no such file, or a file where a directory should be. */
const MISSING = ['NotFoundError', 'TypeMismatchError'];

async function unlessMissing<T>(operation: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof DOMException && MISSING.includes(error.name)) return undefined;
    throw error;
  }
}

async function guard<T>(action: string, path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    if (error instanceof DOMException && MISSING.includes(error.name)) throw error;
    const name = error instanceof Error ? error.name : 'unknown';
    const full = name === 'QuotaExceededError';
    const why = full ? 'the storage of this site is full' : error instanceof Error ? error.message : String(error);
    throw new CheckpointError(full ? 'disk-full' : 'file-failed', `${path} cannot be ${action}: ${why}.`, {
      path,
      action,
      system: name,
    });
  }
}
