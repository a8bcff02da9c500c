/** Folders for the time of a process. What a killed one has left goes with the next of its kind. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../../src/run/store/lock.node.ts';

/** @param kind  what it is for @returns a new folder, which the caller removes */
export function temporaryFolder(kind: string): string {
  const place = tmpdir();
  const ofKind = new RegExp(`^rlvr-train-${kind}-(\\d+)-\\w+$`);
  for (const name of readdirSync(place)) {
    const pid = Number(ofKind.exec(name)?.[1] ?? 0);
    if (pid > 0 && pid !== process.pid && !isAlive(pid)) removeIfOurs(join(place, name));
  }
  return mkdtempSync(join(place, `rlvr-train-${kind}-${process.pid}-`));
}

/** One of another user stays. */
function removeIfOurs(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // not ours to remove
  }
}
