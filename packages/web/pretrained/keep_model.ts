/** A pretrained model comes into the browser's file system, a piece at a time; `kept_models.ts` says what is there. */
import { CheckpointError } from '../../../src/errors.ts';
import type { Store } from '../../../src/run/store/store.ts';
import { opfsStore } from '../store/opfs_store.ts';
import { lockAmongTabs } from '../store/tab_lock.ts';
import type { KeepOptions } from './keep_options.ts';
import { bytesThere, FOLDER, type KeptModel, recordOf, requireName, writeRecord } from './kept_models.ts';
import { type IncomingFile, incomingFiles } from './model_files.ts';
import type { ModelOrigin } from './model_origin.ts';
import { Sha256 } from './sha256.ts';

/** Bytes that are asked for at a time. */
const PIECE_BYTES = 8 * 1024 ** 2;
/** Bytes of the site that a model leaves to runs. */
const LEFT_BYTES = 64 * 1024 ** 2;

/**
 * Brings a model into the browser's file system, or what is still missing of it.
 *
 * @param name  by which `model_name_or_path` names it: letters, digits, `.`, `_` and `-`
 * @throws CheckpointError `disk-full`, before anything is written where the browser says so, `connection-lost`, `hash-mismatch`,
 *   `no-model`; where `signal` stops it, its reason
 */
export async function keepModel(name: string, origin: ModelOrigin, options: KeepOptions = {}): Promise<KeptModel> {
  requireName(name);
  const { onProgress = () => {}, signal, pieceBytes = PIECE_BYTES } = options;
  const claim = await lockAmongTabs(`${FOLDER}/${name}`);
  try {
    const store = await opfsStore(FOLDER);
    const files = await incomingFiles(origin, signal);
    const from = 'url' in origin ? withoutSecrets(origin.url) : 'file';
    const before = await recordOf(store, name);
    for (const { path, version, size } of files) {
      const known = before?.files[path];
      if (known?.version !== version || known.bytes !== size) await store.remove(`${name}/${path}`);
    }
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    let have = await bytesThere(store, name, files);
    await requireRoom(name, bytes - have);
    const record = (isWhole: boolean, hashes: Readonly<Record<string, string>> = {}): Promise<void> => {
      const own = files.map(({ path, size, version }) => [
        path,
        { bytes: size, version, ...(hashes[path] && { sha256: hashes[path] }) },
      ]);
      return writeRecord(store, name, { from, isWhole, files: Object.fromEntries(own) });
    };
    if (before?.isWhole && have === bytes) return { name, from, bytes, have, isWhole: true };
    await record(false);
    onProgress(have, bytes);
    for (const file of files) {
      const path = `${name}/${file.path}`;
      for (let at = (await store.size(path)) ?? 0; at < file.size; ) {
        signal?.throwIfAborted();
        const piece = await file.read(at, Math.min(at + pieceBytes, file.size), signal);
        await store.append(path, piece).catch((error) => {
          throw isFull(error) ? usedUp(name, have, bytes) : error;
        });
        at += piece.length;
        have += piece.length;
        onProgress(have, bytes);
      }
    }
    await record(true, await hashesOf(store, name, files, options));
    return { name, from, bytes, have, isWhole: true };
  } finally {
    await claim.release();
  }
}

/** Asked for before anything is written: a browser says what it will give. */
async function requireRoom(name: string, missing: number): Promise<void> {
  const { storage } = globalThis.navigator;
  await storage.persist?.().catch(() => false); // a refusal means that the browser may remove it, not that it fails
  const { quota = Number.POSITIVE_INFINITY, usage = 0 } = await storage.estimate();
  const room = quota - usage;
  if (missing === 0 || missing + LEFT_BYTES <= room) return;
  const shown = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  const rule = `needs ${shown(missing + LEFT_BYTES)} of storage, and this browser gives the site ${shown(Math.max(0, room))} more`;
  throw new CheckpointError('disk-full', `${name} — ${rule}. Delete a kept model or run, or free space on the disk.`);
}

const isFull = (error: unknown): boolean => error instanceof CheckpointError && error.code === 'disk-full';

/** A browser may give less than it said. */
function usedUp(name: string, have: number, bytes: number): CheckpointError {
  const rule = `the storage of this site is full after ${Math.floor(have / 1e6)} of ${Math.ceil(bytes / 1e6)} MB`;
  const remedy = 'Delete a kept model or run, or free space on the disk; opened again, it continues there';
  return new CheckpointError('disk-full', `${name} — ${rule}. ${remedy}.`);
}

/** @throws CheckpointError `hash-mismatch` where a file is not what it is said to be: it is removed */
async function hashesOf(
  store: Store,
  name: string,
  files: readonly IncomingFile[],
  { sha256: wanted }: KeepOptions,
): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {};
  for (const { path, size, sha256: said } of files) {
    const hash = new Sha256();
    for (let at = 0; at < size; at += PIECE_BYTES) {
      hash.update((await store.readRange(`${name}/${path}`, at, Math.min(at + PIECE_BYTES, size))) ?? new Uint8Array());
    }
    const found = hash.digest();
    const isWeights = path.endsWith('.gguf') || path === 'model.safetensors';
    const expected = (isWeights ? wanted : undefined) ?? said;
    if (expected !== undefined && expected !== found) {
      await store.remove(`${name}/${path}`);
      const rule = `came damaged: it has SHA-256 ${found.slice(0, 16)}…, and should have ${expected.slice(0, 16)}…`;
      throw new CheckpointError('hash-mismatch', `${name}/${path} ${rule}. It was removed; open it again.`);
    }
    hashes[path] = found;
  }
  return hashes;
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url, globalThis.location?.href);
  return `${origin}${pathname}`;
}
