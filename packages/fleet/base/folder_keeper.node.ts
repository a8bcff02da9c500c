/**
 * Keeps received base models on the disk, in a folder each below `rlvr-train/bases` of the user's cache. A folder gets its name
 * once it is whole, so several workers of a machine may receive the same model at once, and one that is killed leaves no half.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileStore } from '../../../src/run/store/files.node.ts';
import type { BaseKeeper } from './received_base.ts';

const PART = '.part-';
/** Milliseconds after which what a killed worker has left is removed. */
const DAY = 24 * 3600 * 1000;

/** XDG_CACHE_HOME, else ~/.cache. */
export function basesFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return resolve(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'rlvr-train', 'bases');
}

/** @param root  the folder of all */
export function folderKeeper(root: string): BaseKeeper {
  return {
    find(key) {
      const folder = join(root, key);
      return existsSync(folder) ? fileStore(folder) : undefined;
    },
    forget: (key) => rmSync(join(root, key), { recursive: true, force: true }),
    begin(key) {
      mkdirSync(root, { recursive: true });
      removeOld(root);
      const part = mkdtempSync(join(root, PART));
      return {
        async append(name, bytes) {
          const file = join(part, name);
          mkdirSync(dirname(file), { recursive: true });
          appendFileSync(file, bytes);
        },
        written: () => fileStore(part),
        async finish() {
          const folder = join(root, key);
          // Where another worker was faster, its files are the same.
          if (existsSync(folder)) rmSync(part, { recursive: true, force: true });
          else renameSync(part, folder);
          return fileStore(folder);
        },
        drop: async () => rmSync(part, { recursive: true, force: true }),
      };
    },
  };
}

function removeOld(root: string): void {
  for (const name of readdirSync(root)) {
    const folder = join(root, name);
    if (!name.startsWith(PART)) continue;
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > DAY) rmSync(folder, { recursive: true, force: true });
  }
}
