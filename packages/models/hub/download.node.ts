/**
 * A file of the hub into the cache: in a part of its own until its hash is known to be right, so that a blob is whole or
 * not there. A part that a process left behind, by Ctrl-C or a lost network, is resumed.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, statfs, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { HubError } from '../../../src/errors.ts';
import { repositoryFolder, snapshotFolder } from './cache.node.ts';
import type { HubClient, HubFile } from './client.ts';
import type { HubName } from './names.ts';

export interface Download {
  readonly client: HubClient;
  readonly cache: string;
  readonly name: HubName;
  readonly commit: string;
  /** Called with the bytes of the file that are there. */
  readonly onProgress?: (bytes: number) => void;
}

/** @throws HubError where the hub, the network or the disk fails, or the content is not what its hash says */
export async function downloadFile(file: HubFile, download: Download): Promise<void> {
  const { cache, name, commit } = download;
  const place = join(snapshotFolder(cache, name, commit), file.path);
  if (sizeOf(place) === file.bytes) return;
  const blobs = join(repositoryFolder(cache, name), 'blobs');
  const blob = join(blobs, file.hash.hex);
  await onDisk(blob, async () => {
    await mkdir(blobs, { recursive: true });
    await mkdir(dirname(place), { recursive: true });
    if (sizeOf(blob) !== file.bytes) await fetchBlob(file, blob, download);
    await link(blob, place);
  });
}

/** Bytes of these files that are not in the cache yet. */
export function missingBytes(files: readonly HubFile[], { cache, name }: Pick<Download, 'cache' | 'name'>): number {
  const blobs = join(repositoryFolder(cache, name), 'blobs');
  const missing = files.filter(({ hash, bytes }) => sizeOf(join(blobs, hash.hex)) !== bytes);
  return missing.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** @throws HubError where the disk of the cache has no room for them */
export async function requireRoom(cache: string, bytes: number): Promise<void> {
  await onDisk(cache, () => mkdir(cache, { recursive: true }));
  const { bavail, bsize } = await statfs(cache);
  const free = bavail * bsize;
  if (bytes <= free) return;
  const rule = `${megabytes(bytes)} are to be fetched, and its disk has ${megabytes(free)} left`;
  throw new HubError('disk-full', `${cache}: ${rule}. ${ELSEWHERE}.`, { cache, bytes, free });
}

async function fetchBlob(file: HubFile, blob: string, download: Download): Promise<void> {
  const part = await claimPart(blob);
  let isWhole = false;
  // What an earlier process left may be of anything: a second attempt starts from scratch.
  const attempts = (sizeOf(part) ?? 0) > 0 ? 2 : 1;
  for (let attempt = 0; attempt < attempts && !isWhole; attempt++) {
    if (attempt > 0) await rm(part, { force: true });
    isWhole = (await fillPart(file, part, download)) === file.hash.hex;
  }
  if (!isWhole) {
    await rm(part, { force: true });
    const { name, owner } = download.name;
    const rule = 'what came has another hash than the hub says, and was thrown away';
    throw new HubError('wrong-hash', `${owner}/${name}: ${file.path} — ${rule}; try again, or another network.`, {
      file: file.path,
    });
  }
  await rename(part, blob);
}

/** @returns the hash of what is there when all is there */
async function fillPart(file: HubFile, part: string, { client, name, commit, onProgress }: Download): Promise<string> {
  let { hash, bytes } = await hashOfPart(file, part);
  const handle = await open(part, 'a');
  try {
    const restart = async (): Promise<void> => {
      await handle.truncate(0);
      [hash, bytes] = [newHash(file), 0];
    };
    for await (const piece of client.bytes(name, commit, file, { from: bytes, restart })) {
      await handle.appendFile(piece);
      hash.update(piece);
      bytes += piece.length;
      onProgress?.(bytes);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

async function hashOfPart(file: HubFile, part: string): Promise<{ hash: Hash; bytes: number }> {
  const bytes = sizeOf(part) ?? 0;
  const hash = newHash(file);
  if (bytes > file.bytes) {
    await rm(part);
    return { hash, bytes: 0 };
  }
  if (bytes > 0) for await (const piece of createReadStream(part)) hash.update(piece as Buffer);
  return { hash, bytes };
}

function newHash({ hash: { kind }, bytes }: HubFile): Hash {
  return kind === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${bytes}\0`);
}

/** `<blob>.<pid>.part`: of this process, which takes over that of one that is gone. */
async function claimPart(blob: string): Promise<string> {
  const ownPart = `${blob}.${process.pid}.part`;
  if (sizeOf(ownPart) !== undefined) return ownPart;
  const pattern = /\.(\d+)\.part$/;
  for (const name of await readdir(dirname(blob))) {
    const other = join(dirname(blob), name);
    const pid = pattern.exec(other)?.[1];
    if (pid === undefined || !other.startsWith(`${blob}.`) || isAlive(Number(pid))) continue;
    try {
      await rename(other, ownPart);
      return ownPart;
    } catch {
      // another process was faster
    }
  }
  return ownPart;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** As huggingface_hub does: a relative link, and a copy where the system allows none. */
async function link(blob: string, place: string): Promise<void> {
  await rm(place, { force: true });
  try {
    await symlink(relative(dirname(place), blob), place);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
    await copyFile(blob, place);
  }
}

/** Size of what a link leads to; undefined where that is no file. */
function sizeOf(path: string): number | undefined {
  const status = existsSync(path) ? statSync(path) : undefined;
  return status?.isFile() ? status.size : undefined;
}

const ELSEWHERE = 'Free space, or set HF_HOME to a folder on another disk';

const DISK_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: `no space is left on the disk. What came so far is kept. ${ELSEWHERE}`,
  EDQUOT: `your disk quota is used up. What came so far is kept. ${ELSEWHERE}`,
  EACCES: 'permission is denied. Change its permissions, or set HF_HOME to a folder that you may write to',
  EPERM: 'the system does not allow it. Set HF_HOME to a folder that you may write to',
  EROFS: 'the file system is read-only. Set HF_HOME to a folder that you may write to',
  ENOTDIR: 'a file is where a directory is needed. Move it away, or set HF_HOME to another folder',
  EEXIST: 'a file is where a directory is needed. Move it away, or set HF_HOME to another folder',
};

/** What the system says of the disk, in words for the user. @throws HubError */
export async function onDisk<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const code = codeOf(error);
    const rule = code === undefined ? undefined : DISK_ERRORS[code];
    if (rule === undefined) throw error;
    throw new HubError(
      code === 'ENOSPC' || code === 'EDQUOT' ? 'disk-full' : 'cache-failed',
      `${path} cannot be written: ${rule}.`,
      {
        path,
        code,
      },
    );
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
