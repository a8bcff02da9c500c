/**
 * A disk in memory that keeps two truths: what processes see, and what a power failure leaves. For `vi.mock` in place of
 * `node:fs/promises`, as far as `files.node.ts` and `lock.node.ts` use it.
 *
 * A file's bytes are durable when the file is fsync'ed, a directory's entries when the directory is. Until then every
 * change of an entry may or may not have reached the disk, in any order, and a file's new bytes may be there, not at
 * all, or in part.
 */
import { dirname, resolve } from 'node:path';

interface FileNode {
  readonly kind: 'file';
  bytes: Uint8Array;
  durable: Uint8Array;
}

interface FolderNode {
  readonly kind: 'folder';
  readonly entries: Map<string, Node>;
  readonly durable: Map<string, Node>;
  /** Changes of entries since the last fsync, oldest first; undefined: the name is gone. */
  pending: { readonly name: string; readonly node: Node | undefined }[];
}

type Node = FileNode | FolderNode;

const folderNode = (): FolderNode => ({ kind: 'folder', entries: new Map(), durable: new Map(), pending: [] });

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}

/** What becomes of a change that was not fsync'ed. */
export interface Loss {
  /** Whether a change of a directory's entry is kept. */
  keepsEntry(): boolean;
  /** The bytes that a file has whose last ones were not fsync'ed. */
  bytesOf(durable: Uint8Array, written: Uint8Array): Uint8Array;
}

export class SimulatedDisk {
  #root = folderNode();
  /** Calls of fsync so far, and of anything that takes room. */
  syncs = 0;
  writes = 0;
  /** Asked before each fsync takes effect: the moment of a power failure. */
  onSync: () => void = () => {};
  /** The number of the write that finds the disk full; those behind it too, until the test makes room. */
  fullFrom = Number.POSITIVE_INFINITY;

  /** The disk after a power failure at this moment. */
  afterPowerFailure(loss: Loss): SimulatedDisk {
    const disk = new SimulatedDisk();
    const copies = new Map<Node, Node>();
    const copy = (node: Node): Node => {
      const known = copies.get(node);
      if (known !== undefined) return known;
      if (node.kind === 'file') {
        const bytes = loss.bytesOf(node.durable, node.bytes).slice();
        const file: FileNode = { kind: 'file', bytes, durable: bytes };
        copies.set(node, file);
        return file;
      }
      const folder = folderNode();
      copies.set(node, folder);
      const names = new Map(node.durable);
      for (const { name, node: entry } of node.pending) {
        if (!loss.keepsEntry()) continue;
        if (entry === undefined) names.delete(name);
        else names.set(name, entry);
      }
      for (const [name, entry] of names) {
        const kept = copy(entry);
        folder.entries.set(name, kept);
        folder.durable.set(name, kept);
      }
      return folder;
    };
    disk.#root = copy(this.#root) as FolderNode;
    return disk;
  }

  /** Every file by its path, for comparison. */
  files(folder: FolderNode = this.#root, prefix = ''): Map<string, string> {
    const found = new Map<string, string>();
    for (const [name, node] of folder.entries) {
      if (node.kind === 'file') found.set(`${prefix}/${name}`, Buffer.from(node.bytes).toString('base64'));
      else for (const [path, text] of this.files(node, `${prefix}/${name}`)) found.set(path, text);
    }
    return found;
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of resolve(path).split('/').slice(1)) {
      if (name === '') continue;
      if (node?.kind !== 'folder') return undefined;
      node = node.entries.get(name);
    }
    return node;
  }

  #folderOf(path: string): FolderNode {
    const folder = this.#find(dirname(resolve(path)));
    if (folder === undefined) throw failure('ENOENT', path);
    if (folder.kind !== 'folder') throw failure('ENOTDIR', path);
    return folder;
  }

  #change(path: string, node: Node | undefined): void {
    const folder = this.#folderOf(path);
    const name = resolve(path).split('/').at(-1) as string;
    if (node === undefined) folder.entries.delete(name);
    else folder.entries.set(name, node);
    folder.pending.push({ name, node });
  }

  #takeRoom(path: string): void {
    if (this.writes++ >= this.fullFrom) throw failure('ENOSPC', path);
  }

  #sync(node: Node): void {
    this.onSync();
    this.syncs++;
    if (node.kind === 'file') node.durable = node.bytes.slice();
    else {
      node.durable.clear();
      for (const [name, entry] of node.entries) node.durable.set(name, entry);
      node.pending = [];
    }
  }

  #write(node: FileNode, at: number, content: string | Uint8Array, path: string): void {
    const added = Buffer.from(content as Uint8Array);
    try {
      this.#takeRoom(path);
    } catch (error) {
      node.bytes = joined(node.bytes.subarray(0, at), added.subarray(0, added.length / 2)); // the rest found no room
      throw error;
    }
    node.bytes = joined(node.bytes.subarray(0, at), added);
  }

  /** What stands for `node:fs/promises`. */
  readonly calls = {
    open: async (path: string, flags: string) => {
      let node = this.#find(path);
      if (node === undefined && flags === 'r') throw failure('ENOENT', path);
      if (node === undefined && flags === 'r+') throw failure('ENOENT', path);
      if (node === undefined) {
        this.#takeRoom(path);
        node = { kind: 'file', bytes: new Uint8Array(0), durable: new Uint8Array(0) };
        this.#change(path, node);
      }
      const opened = node;
      const asFile = (): FileNode => {
        if (opened.kind !== 'file') throw failure('EISDIR', path);
        return opened;
      };
      if (flags === 'w') asFile().bytes = new Uint8Array(0);
      return {
        writeFile: async (content: string | Uint8Array) =>
          this.#write(asFile(), flags === 'a' ? asFile().bytes.length : 0, content, path),
        read: async (into: Uint8Array, offset: number, length: number, position: number) => {
          const part = asFile().bytes.subarray(position, position + length);
          into.set(part, offset);
          return { bytesRead: part.length };
        },
        truncate: async (length: number) => {
          asFile().bytes = asFile().bytes.slice(0, length);
        },
        sync: async () => this.#sync(opened),
        close: async () => {},
      };
    },
    mkdir: async (path: string) => {
      if (this.#find(path) !== undefined) throw failure('EEXIST', path);
      this.#takeRoom(path);
      this.#change(path, folderNode());
    },
    readdir: async (path: string) => {
      const node = this.#find(path);
      if (node === undefined) throw failure('ENOENT', path);
      if (node.kind !== 'folder') throw failure('ENOTDIR', path);
      return [...node.entries.keys()];
    },
    readFile: async (path: string, encoding?: string) => {
      const node = this.#find(path);
      if (node === undefined) throw failure('ENOENT', path);
      if (node.kind !== 'file') throw failure('EISDIR', path);
      const bytes = Buffer.from(node.bytes);
      return encoding === 'utf8' ? bytes.toString('utf8') : bytes;
    },
    writeFile: async (path: string, content: string, { flag = 'w' } = {}) => {
      if (flag === 'wx' && this.#find(path) !== undefined) throw failure('EEXIST', path);
      const handle = await this.calls.open(path, 'w');
      await handle.writeFile(content);
    },
    rename: async (from: string, to: string) => {
      const node = this.#find(from);
      if (node === undefined) throw failure('ENOENT', from);
      this.#change(to, node);
      this.#change(from, undefined);
    },
    rm: async (path: string, { force = false, recursive = false } = {}) => {
      const node = this.#find(path);
      if (node === undefined && force) return;
      if (node === undefined) throw failure('ENOENT', path);
      if (node.kind === 'folder' && recursive) {
        for (const name of [...node.entries.keys()]) await this.calls.rm(`${path}/${name}`, { recursive });
      }
      this.#change(path, undefined);
    },
    stat: async (path: string) => {
      const node = this.#find(path);
      if (node === undefined) throw failure('ENOENT', path);
      const size = node.kind === 'file' ? node.bytes.length : 0;
      return { isFile: () => node.kind === 'file', isDirectory: () => node.kind === 'folder', size, mtimeMs: 0 };
    },
  };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
