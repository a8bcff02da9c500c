/**
 * The run directory on a disk, from Node.
 *
 * A file appears under its name whole or not at all: it is written under a temporary name, fsync'ed, renamed, and the
 * directory is fsync'ed, so that the name survives a power failure too. Failures name path, cause and remedy.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CheckpointError } from '../../errors.ts';
import { describeFileError, type FileAction, systemCode } from './file_errors.ts';
import { isAlive, takeLock } from './lock.node.ts';
import { assertStorePath, countedClaim, type Store } from './store.ts';

/** A store over the directory `root`, which is created with its first file. Nothing outside `root` is touched. */
export function fileStore(root: string): Store & Required<Pick<Store, 'sha256'>> {
  return new FileStore(resolve(root));
}

/**
 * Fails early if a directory could not be made later: below a file, without permission, or on a read-only file system,
 * which a superuser's permissions hide. So it makes one and removes it.
 * @param isDry  checks permissions only, and makes nothing
 * @throws CheckpointError in the words of the failed write
 */
export async function requireWritable(directory: string, isDry = false): Promise<void> {
  const root = resolve(directory);
  await guard('written', root, async () => {
    let nearest = root;
    while (!existsSync(nearest)) nearest = dirname(nearest);
    if (!(await stat(nearest)).isDirectory()) {
      throw Object.assign(new Error('a file is there'), { code: 'EEXIST', path: nearest }); // as mkdir has it
    }
    if (isDry) await access(nearest, constants.W_OK);
    else await rmdir(await mkdtemp(join(nearest, '.rlvr-train-')));
  });
}

/** Names the process that trains in the directory. */
const LOCK_FILE = '.lock';

/** `.<file>.tmp-<pid>-<number>`: a file that is being written. */
const TEMPORARY = /^\..+\.tmp-(\d+)-\d+$/;

/** Tolerance between file times and the clock. */
const CLOCK_SLACK_MS = 2_000;

/** Bytes of a file that are hashed at a time. */
const HASHED_BYTES = 4 * 1024 ** 2;

/** Number of temporary files of this process, over all stores, since two may share a directory. */
let temporaries = 0;

class FileStore implements Store {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const file = this.#locate(path);
    return guard('read', file, async () => {
      const buffer = await unlessMissing(readFile(file));
      // readFile's buffer is its own memory, never shared nor pooled: a view hands it over without a copy.
      return buffer && new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength);
    });
  }

  async readRange(path: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const file = this.#locate(path);
    return guard('read', file, () => unlessMissing(withFile(file, 'r', (handle) => readBetween(handle, begin, end))));
  }

  async sha256(path: string): Promise<string | undefined> {
    const file = this.#locate(path);
    const hashed = (handle: FileHandle): Promise<string> => hashPieces((begin, end) => readBetween(handle, begin, end));
    return guard('read', file, () => unlessMissing(withFile(file, 'r', hashed)));
  }

  async writeAtomic(path: string, bytes: Uint8Array): Promise<void> {
    const file = this.#locate(path);
    const directory = dirname(file);
    const temporary = join(directory, `.${basename(file)}.tmp-${process.pid}-${temporaries++}`);
    await guard('written', file, async () => {
      await makeDirectory(directory);
      try {
        await withFile(temporary, 'w', async (handle) => {
          await handle.writeFile(bytes);
          await handle.sync();
        });
        await rename(temporary, file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await syncDirectory(directory);
    });
  }

  async append(path: string, content: string | Uint8Array): Promise<void> {
    const file = this.#locate(path);
    await guard('written', file, async () => {
      await makeDirectory(dirname(file));
      await withFile(file, 'a', (handle) => handle.writeFile(content));
    });
  }

  async sync(path: string): Promise<void> {
    const file = this.#locate(path);
    await guard('written', file, async () => {
      await unlessMissing(withFile(file, 'r+', (handle) => handle.sync()));
      await unlessMissing(syncDirectory(dirname(file)));
    });
  }

  async truncate(path: string, bytes: number): Promise<void> {
    const file = this.#locate(path);
    const size = await this.size(path);
    if (size === undefined || size <= bytes) return;
    await guard('written', file, () =>
      withFile(file, 'r+', async (handle) => {
        await handle.truncate(bytes);
        await handle.sync();
      }),
    );
  }

  async size(path: string): Promise<number | undefined> {
    const file = this.#locate(path);
    const status = await guard('read', file, () => unlessMissing(stat(file)));
    return status?.isFile() ? status.size : undefined;
  }

  async list(directory: string): Promise<string[]> {
    const folder = directory === '' ? this.#root : this.#locate(directory);
    const names = await guard('read', folder, () => unlessMissing(readdir(folder)));
    return (names ?? []).sort();
  }

  async exists(path: string): Promise<boolean> {
    const file = this.#locate(path);
    return (await guard('read', file, () => unlessMissing(stat(file)))) !== undefined;
  }

  async remove(path: string): Promise<void> {
    const file = this.#locate(path);
    await guard('removed', file, () => rm(file, { recursive: true, force: true }));
  }

  async renameDirectory(from: string, to: string): Promise<void> {
    const [source, destination] = [this.#locate(from), this.#locate(to)];
    // POSIX would silently replace an empty directory.
    if (await this.exists(to)) {
      throw new CheckpointError('rename-failed', `${source} cannot be renamed: ${destination} is taken.`, { from, to });
    }
    await guard('renamed', source, async () => {
      await makeDirectory(dirname(destination));
      await rename(source, destination);
      await syncDirectory(dirname(destination));
      if (dirname(source) !== dirname(destination)) await syncDirectory(dirname(source));
    });
  }

  readonly claim = countedClaim(() => {
    return guard('written', this.#root, async () => {
      await makeDirectory(this.#root);
      return takeLock(join(this.#root, LOCK_FILE));
    });
  });

  async removeLeftovers(): Promise<void> {
    await guard('removed', this.#root, async () => {
      for (const folder of await foldersOfRun(this.#root)) {
        for (const name of (await unlessMissing(readdir(folder))) ?? []) {
          const file = join(folder, name);
          if (await isLeftover(file)) await rm(file, { force: true });
        }
      }
    });
  }

  #locate(path: string): string {
    assertStorePath(path);
    return join(this.#root, path);
  }
}

/** The folders that a run writes to. Other folders of the user are left alone. */
async function foldersOfRun(root: string): Promise<string[]> {
  const inner = ['checkpoints', 'tensorboard', 'answers'].map(async (name) => {
    const names = (await unlessMissing(readdir(join(root, name)))) ?? [];
    return [join(root, name), ...names.map((each) => join(root, name, each))];
  });
  const runFolders = ['model', 'best', 'evaluations'].map((name) => join(root, name));
  return [root, ...runFolders, ...(await Promise.all(inner)).flat()];
}

/** Whether a temporary file's process is gone. In a container, where process ids restart, it may have had ours. */
async function isLeftover(file: string): Promise<boolean> {
  const pid = Number(TEMPORARY.exec(basename(file))?.[1] ?? 0);
  if (pid === 0) return false;
  if (pid !== process.pid) return !isAlive(pid);
  const status = await unlessMissing(stat(file));
  return status !== undefined && status.mtimeMs < Date.now() - process.uptime() * 1000 - CLOCK_SLACK_MS;
}

async function guard<T>(action: FileAction, path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw error instanceof CheckpointError ? error : describeFileError(error, action, path);
  }
}

/** The result, or undefined if there is no such file, or a file blocks its directory. */
async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** A single read may return less than was requested. */
async function readBetween(handle: FileHandle, begin: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - begin);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, begin + length);
    if (bytesRead === 0) return bytes.slice(0, length);
    length += bytesRead;
  }
  return bytes;
}

/** SHA-256 of a file that is read a piece at a time. */
async function hashPieces(read: (begin: number, end: number) => Promise<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; ; at += HASHED_BYTES) {
    const piece = await read(at, at + HASHED_BYTES);
    hash.update(piece);
    if (piece.length < HASHED_BYTES) return hash.digest('hex');
  }
}

async function withFile<T>(path: string, flags: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, flags);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

/**
 * Creates the directory and its parents, durably: the entry of a new one is fsync'ed in its parent.
 *
 * Level by level: asked to make parents by itself, Node reports a read-only disk as ENOENT, and never returns from /proc.
 */
async function makeDirectory(directory: string): Promise<void> {
  if (await isDirectory(directory)) return;
  const parent = dirname(directory);
  if ((await unlessMissing(stat(parent))) === undefined) await makeDirectory(parent);
  try {
    await mkdir(directory);
  } catch (error) {
    if (await isDirectory(directory)) return; // made by another process meanwhile
    throw error;
  }
  await syncDirectory(parent);
}

async function isDirectory(path: string): Promise<boolean> {
  return (await unlessMissing(stat(path)))?.isDirectory() ?? false;
}

/** Windows cannot open a directory; its file systems journal the names themselves. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  await withFile(directory, 'r', (handle) => handle.sync());
}
