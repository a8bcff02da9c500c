/**
 * Pretrained models in the browser's own file system: kept over reloads, read without a network, private to the site.
 *
 * A model comes in pieces, each of which is on the disk before the next is asked for. So what stopped resumes where it was,
 * after a reload too. It counts as a model once all of it is there and its record says so, with the SHA-256 of each file.
 */
import { CheckpointError } from '../../../src/errors.ts';
import { parseJsonObject } from '../../../src/run/json.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { opfsStore } from '../store/opfs_store.ts';
import { lockAmongTabs } from '../store/tab_lock.ts';

/** Beside the runs, whose names begin with no dot. */
export const FOLDER = '.models';
const RECORD = 'kept.json';

/** A model that is kept, or on its way. */
export interface KeptModel {
  readonly name: string;
  /** Address, or `file`. */
  readonly from: string;
  readonly bytes: number;
  /** Bytes that are there. */
  readonly have: number;
  readonly isWhole: boolean;
}

interface FileRecord {
  readonly bytes: number;
  readonly version: string;
  readonly sha256?: string;
}

interface ModelRecord {
  readonly from: string;
  readonly isWhole: boolean;
  readonly files: Readonly<Record<string, FileRecord>>;
}

/** Models that are kept, and those that are on their way. @throws CheckpointError where the browser gives no storage */
export async function keptModels(): Promise<readonly KeptModel[]> {
  const store = await opfsStore(FOLDER);
  const found: KeptModel[] = [];
  for (const name of await store.list('')) {
    const record = await recordOf(store, name);
    if (record === undefined) continue;
    const { from, isWhole, files } = record;
    const own = Object.entries(files).map(([path, file]) => ({ path, size: file.bytes }));
    const bytes = own.reduce((sum, { size }) => sum + size, 0);
    found.push({ name, from, bytes, have: await bytesThere(store, name, own), isWhole });
  }
  return found;
}

/** Removes a model and all its files; nothing happens where there is none. @throws CheckpointError */
export async function removeKeptModel(name: string): Promise<void> {
  requireName(name);
  const claim = await lockAmongTabs(`${FOLDER}/${name}`);
  try {
    await (await opfsStore(FOLDER)).remove(name);
  } finally {
    await claim.release();
  }
}

export function isName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,99}$/.test(name);
}

export function requireName(name: string): void {
  if (isName(name)) return;
  throw new CheckpointError('bad-name', `${JSON.stringify(name)} — a model's name has letters, digits, ., _ and -.`);
}

export async function recordOf(store: Store, name: string): Promise<ModelRecord | undefined> {
  const bytes = await store.read(`${name}/${RECORD}`);
  return bytes && (parseJsonObject(bytes) as ModelRecord | undefined); // written below
}

export function writeRecord(store: Store, name: string, record: ModelRecord): Promise<void> {
  return store.writeAtomic(`${name}/${RECORD}`, new TextEncoder().encode(JSON.stringify(record)));
}

export async function bytesThere(
  store: Store,
  name: string,
  files: readonly { readonly path: string; readonly size: number }[],
): Promise<number> {
  const sizes = await Promise.all(
    files.map(async ({ path, size }) => Math.min(size, (await store.size(`${name}/${path}`)) ?? 0)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
