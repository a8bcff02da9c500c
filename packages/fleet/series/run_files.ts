/**
 * The files of a run directory as they travel. Whatever moment a worker dies at, what has come is a directory that resumes: as
 * on a disk, logs are longer than the newest checkpoint says, and a checkpoint has its name once all of it is there.
 */
import { FleetError } from '../../../src/errors.ts';
import { CHECKPOINTS } from '../../../src/run/checkpoint/checkpoints.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { joinBytes } from '../../../src/run/store/store.ts';

/** A file with its length in bytes. */
export interface SizedFile {
  readonly path: string;
  readonly size: number;
}

/** The run is over once it is there. */
export const SUMMARY = 'summary.json';

const STAGED = '.tmp-';
/** What is written whole is put together in memory. */
const MOST_WHOLE_BYTES = 2 ** 31;

/** All files of a run directory in the order in which they are sent; locks and what is half-written are not. */
export async function filesOf(store: Store): Promise<SizedFile[]> {
  const found: SizedFile[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const name of await store.list(folder)) {
      if (name.startsWith('.')) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      const size = await store.size(path);
      if (size === undefined) await walk(path);
      else found.push({ path, size });
    }
  };
  await walk('');
  return found.sort((a, b) => rank(a.path) - rank(b.path));
}

/** Checkpoints after what they rest on, the summary last. */
function rank(path: string): number {
  return path === SUMMARY ? 2 : checkpointOf(path) === undefined ? 0 : 1;
}

/** The checkpoint that a file is of. */
export function checkpointOf(path: string): string | undefined {
  const [folder, name, file] = path.split('/');
  return folder === CHECKPOINTS && file !== undefined ? name : undefined;
}

/** Whether a path stays within a run directory, and names nothing hidden. */
export function isPlainPath(path: string): boolean {
  return path.split('/').every((name) => /^[^.\\\0][^\\\0]*$/.test(name));
}

/** Takes the files of one worker into a run directory, part by part. */
export class RunReceiver {
  readonly #store: Store;
  /** The file that is put together: what has come of it, and no more. */
  #parts: { readonly path: string; readonly pieces: Uint8Array[]; length: number } | undefined;
  /** The one that was finished last: its last part may come again. */
  #finished: string | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * @param from  bytes of the file that are there already, and stay
   * @throws FleetError for a part that does not follow the one before it; CheckpointError where the disk refuses
   */
  async write(path: string, part: Uint8Array, place: { from: number; offset: number; size: number }): Promise<void> {
    const { from, offset, size } = place;
    if (!isPlainPath(path)) throw misplaced(path, 'a hidden file, or none of a run directory');
    if (offset + part.length > size) throw misplaced(path, 'more than its size');
    const checkpoint = checkpointOf(path);
    if (checkpoint !== undefined) {
      if (from > 0) throw misplaced(path, 'a part of a checkpoint');
      const staged = path.replace(`/${checkpoint}/`, `/${STAGED}${checkpoint}/`);
      if (offset === 0) await this.#store.remove(staged);
      return this.#append(staged, part, offset);
    }
    if (from > 0) return this.#append(path, part, offset);
    if (size > MOST_WHOLE_BYTES) throw misplaced(path, `${size} bytes are too many`);
    if (this.#finished === path && offset > 0 && offset + part.length === size && this.#parts?.path !== path) return;
    if (offset === 0) this.#parts = { path, pieces: [], length: 0 };
    const parts = this.#parts?.path === path ? this.#parts : undefined;
    if (parts === undefined || (parts.length !== offset && parts.length !== offset + part.length))
      throw misplaced(path, 'a part was lost');
    if (parts.length === offset) {
      parts.pieces.push(part.slice());
      parts.length += part.length;
    }
    if (parts.length < size) return;
    this.#parts = undefined;
    this.#finished = path;
    await this.#store.writeAtomic(path, joinBytes(parts.pieces));
  }

  /** A part that was sent twice, since no reply came, is there. */
  async #append(path: string, part: Uint8Array, offset: number): Promise<void> {
    const size = (await this.#store.size(path)) ?? 0;
    if (size === offset) return this.#store.append(path, part);
    if (size !== offset + part.length) throw misplaced(path, 'a part was lost');
  }

  /** Checkpoints that have come get their names; what the worker has no more is removed. @param kept  all that it has */
  async place(kept: readonly string[]): Promise<void> {
    for (const name of await this.#store.list(CHECKPOINTS)) {
      if (!name.startsWith(STAGED)) continue;
      const to = `${CHECKPOINTS}/${name.slice(STAGED.length)}`;
      const from = `${CHECKPOINTS}/${name}`;
      if (await this.#store.exists(to)) await this.#store.remove(from);
      else if (await this.#store.exists(`${from}/manifest.json`)) await this.#store.renameDirectory(from, to);
    }
    const all = new Set(kept);
    const checkpoints = new Set(kept.flatMap((path) => checkpointOf(path) ?? []));
    for (const { path } of await filesOf(this.#store)) {
      const checkpoint = checkpointOf(path);
      if (checkpoint === undefined) {
        if (!all.has(path)) await this.#store.remove(path);
      } else if (!checkpoints.has(checkpoint)) await this.#store.remove(`${CHECKPOINTS}/${checkpoint}`);
    }
  }
}

function misplaced(path: string, why: string): FleetError {
  return new FleetError('fleet-file', `${path}: it cannot be taken: ${why}.`);
}
