/**
 * What a run needs of a disk, and no more: files in Node (`files.node.ts`), OPFS in a browser, memory in tests.
 *
 * Paths are relative to the run directory, with `/` between names; '' is the run directory itself.
 * Directories come into being with their first file. Every method rejects with CheckpointError that names the path.
 */
import { CheckpointError } from '../../errors.ts';

/** A lock on a run directory against other processes and tabs. */
export interface Claim {
  /** False if the directory is gone or was taken by another process. */
  holds(): Promise<boolean>;
  release(): Promise<void>;
}

/** Read-only files. Paths are relative, with `/`. */
export interface ReadableFiles {
  /** Length in bytes; undefined when there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** The file's bytes, owned by the caller; undefined when there is no such file. */
  read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /**
   * Bytes [begin, end) of the file, owned by the caller; fewer where the file ends before. undefined when there is no
   * such file. Only the range is held in memory.
   */
  readRange(path: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** SHA-256 without the whole file in memory; undefined when there is no such file. */
  sha256?(path: string): Promise<string | undefined>;
}

/** The run directory, as a small set of operations that a crash leaves either done or not done. */
export interface Store extends ReadableFiles {
  /** Replaces the file. Durable when it resolves; a reader sees the old bytes or the new, never a mixture. */
  writeAtomic(path: string, bytes: Uint8Array): Promise<void>;
  /** Adds text (UTF-8) or bytes at the end, creating the file. Not durable before `sync`; a crash may leave a part. */
  append(path: string, content: string | Uint8Array): Promise<void>;
  /** Makes what was appended durable. Nothing happens when there is no such file. */
  sync(path: string): Promise<void>;
  /** Cuts the file to its first `bytes` bytes. Never extends it; nothing happens when there is no such file. */
  truncate(path: string, bytes: number): Promise<void>;
  /** Names in a directory, sorted; empty when there is no such directory. */
  list(directory: string): Promise<string[]>;
  /** True for a file and for a directory that holds a file. */
  exists(path: string): Promise<boolean>;
  /** Removes a file, or a directory with all it holds; nothing happens when there is none. Not atomic for directories. */
  remove(path: string): Promise<void>;
  /**
   * Moves a directory to a name that is free; durable when it resolves. A store without an atomic rename (OPFS) copies
   * the files, `manifest.json` last, so that an unfinished move shows as a directory without a manifest.
   */
  renameDirectory(from: string, to: string): Promise<void>;
  /**
   * Holds the run directory for one run until it is released; the same store may ask again, and holds it until the last
   * claim is released. @throws CheckpointError `run-under-way`, which names the process or tab that has it
   */
  claim(): Promise<Claim>;
  /** Removes what killed processes left half-written; nothing of a process that is still there. Only under a claim. */
  removeLeftovers(): Promise<void>;
}

/** Concatenates copies. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Counts claims of a store, and releases with the last: for `Store.claim`. */
export function countedClaim(take: () => Promise<Claim>): () => Promise<Claim> {
  let count = 0;
  let taken: Promise<Claim> | undefined;
  let released: Promise<void> = Promise.resolve();
  return async () => {
    taken ??= released.then(take);
    const mine = taken;
    count++;
    let isReleased = false;
    const release = async (): Promise<void> => {
      if (isReleased) return;
      isReleased = true;
      if (--count > 0) return;
      taken = undefined;
      released = (await mine).release();
      await released;
    };
    try {
      const { holds } = await mine;
      return { holds, release };
    } catch (error) {
      count--;
      if (taken === mine) taken = undefined;
      throw error;
    }
  };
}

/** Refuses a path that could leave the run directory: absolute, empty names, `.`, `..`, backslashes. */
export function assertStorePath(path: string): void {
  const names = path.split('/');
  const bad = names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\\'));
  if (bad || path.includes('\0')) {
    const message = `Run directory: ${JSON.stringify(path)} is not a path inside it; use names joined by "/".`;
    throw new CheckpointError('bad-path', message, { path });
  }
}

/** A store that lives as long as the page or the test: the fallback where there is no disk. */
export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>();

  async read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    assertStorePath(path);
    return this.#files.get(path)?.slice();
  }

  async readRange(path: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    assertStorePath(path);
    return this.#files.get(path)?.slice(begin, end);
  }

  async writeAtomic(path: string, bytes: Uint8Array): Promise<void> {
    assertStorePath(path);
    this.#files.set(path, new Uint8Array(bytes));
  }

  async append(path: string, content: string | Uint8Array): Promise<void> {
    assertStorePath(path);
    const before = this.#files.get(path) ?? new Uint8Array(0);
    const added = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    this.#files.set(path, joinBytes([before, added]));
  }

  async sync(path: string): Promise<void> {
    assertStorePath(path);
  }

  async truncate(path: string, bytes: number): Promise<void> {
    assertStorePath(path);
    const before = this.#files.get(path);
    if (before !== undefined && before.length > bytes) this.#files.set(path, before.slice(0, bytes));
  }

  async size(path: string): Promise<number | undefined> {
    assertStorePath(path);
    return this.#files.get(path)?.length;
  }

  async list(directory: string): Promise<string[]> {
    const prefix = directory === '' ? '' : `${directory}/`;
    const names = this.#under(prefix).map((path) => path.slice(prefix.length).split('/')[0]);
    return [...new Set(names)].sort();
  }

  async exists(path: string): Promise<boolean> {
    assertStorePath(path);
    return this.#files.has(path) || this.#under(`${path}/`).length > 0;
  }

  async remove(path: string): Promise<void> {
    assertStorePath(path);
    for (const file of [path, ...this.#under(`${path}/`)]) this.#files.delete(file);
  }

  async renameDirectory(from: string, to: string): Promise<void> {
    assertStorePath(from);
    const moved = this.#under(`${from}/`);
    if (moved.length === 0 || (await this.exists(to))) {
      const reason = moved.length === 0 ? 'there is no such directory' : 'the new name is taken';
      throw new CheckpointError('rename-failed', `Run directory: ${from} cannot become ${to}: ${reason}.`, {
        from,
        to,
      });
    }
    for (const path of moved) {
      const bytes = this.#files.get(path);
      if (bytes !== undefined) this.#files.set(to + path.slice(from.length), bytes);
      this.#files.delete(path);
    }
  }

  /** No other process sees it. */
  claim = countedClaim(async () => ({ holds: async () => true, release: async () => {} }));

  async removeLeftovers(): Promise<void> {}

  #under(prefix: string): string[] {
    return [...this.#files.keys()].filter((path) => path.startsWith(prefix));
  }
}
