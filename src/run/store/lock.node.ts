/**
 * `.lock` in a run directory names the process that trains there. Exclusive creation lets only one process have it.
 *
 * A killed process leaves its lock behind. The lock is void once that process is gone: after a reboot, in another
 * container of the same name, or if its id is unused or belongs to a later process. Another host's processes cannot be
 * checked, so its lock holds until a user removes it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CheckpointError } from '../../errors.ts';
import { systemCode } from './file_errors.ts';
import type { Claim } from './store.ts';

const holderSchema = z.object({
  pid: z.int().positive(),
  host: z.string(),
  /** Ids of this start of the machine, and of the processes that see each other; null where the system names neither. */
  boot: z.string().nullable(),
  namespace: z.string().nullable(),
  /** Start time of the process, as the system writes it, which distinguishes it from a later one with the same id. */
  processStart: z.string().nullable(),
  /** When the lock was taken, ISO 8601. */
  since: z.string(),
});

/** Who holds a lock. */
export type LockHolder = Readonly<z.infer<typeof holderSchema>>;

/** How long a lock may be there without its text, which is written right after it is made. */
const EMPTY_ATTEMPTS = 20;
const PAUSE_MS = 50;
/** How long a process may take to remove a void lock. */
const TURN_MS = 10_000;
/** Most that a clock adjustment moves the boot time. */
const CLOCK_SLACK_MS = 60_000;

let locks = 0;

/**
 * Takes the lock in an existing directory. @throws CheckpointError `run-under-way` if a process has it; the system's
 * error if the disk refuses
 */
export async function takeLock(file: string): Promise<Claim> {
  // Time and number distinguish two locks of one process.
  const text = `${JSON.stringify({ ...thisProcess(), number: locks++ })}\n`;
  await acquire(file, text);
  return {
    holds: () => stillHolds(file, text),
    release: async () => {
      if ((await textOf(file)) === text) await rm(file, { force: true });
    },
  };
}

async function acquire(file: string, text: string): Promise<void> {
  for (let emptyFor = 0; ; ) {
    if (await isMade(file, text)) return;
    const holderText = await textOf(file);
    if (holderText === undefined) continue; // released meanwhile
    const holder = readHolder(holderText);
    if (holder === undefined && emptyFor++ < EMPTY_ATTEMPTS) {
      await pause();
    } else if (holder === undefined || isGone(holder)) {
      await removeVoid(file, holderText);
    } else {
      throw underWay(file, holder);
    }
  }
}

/** Creates the file; false if it exists. */
async function isMade(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Restores a lock that was removed by hand, but does not take back one that another process has. */
async function stillHolds(file: string, text: string): Promise<boolean> {
  const current = await textOf(file);
  if (current !== undefined) return current === text;
  try {
    return await isMade(file, text);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false; // the directory is gone
    throw error;
  }
}

/**
 * Removes a void lock. Several processes may find it void at once, and a slower one must not remove a faster one's new
 * lock, so they check again one at a time.
 */
async function removeVoid(file: string, found: string): Promise<void> {
  const turn = `${file}.turn`;
  if (!(await isMade(turn, `${process.pid}\n`))) {
    await leaveTurn(turn);
    return;
  }
  try {
    if ((await textOf(file)) === found) await rm(file, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

/** Waits briefly for another process's turn, or ends one that was cut short; a turn takes a few system calls. */
async function leaveTurn(turn: string): Promise<void> {
  try {
    if ((await stat(turn)).mtimeMs < Date.now() - TURN_MS) await rm(turn, { force: true });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  await pause();
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function readHolder(text: string): LockHolder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function underWay(file: string, holder: LockHolder): CheckpointError {
  const { pid, host, since } = holder;
  const isHere = host === hostname();
  const where = isHere ? 'here' : `here, on host ${host}`;
  const remedy = isHere
    ? `wait for its end, or stop it (kill ${pid}, which saves) and continue with --resume`
    : `wait for its end, or, if that process is gone, remove ${file}`;
  return new CheckpointError(
    'run-under-way',
    `${dirname(file)}  a run with pid ${pid} is under way ${where}, since ${since}; ${remedy}.`,
    { pid, host, since },
  );
}

/** Whether a process trains where this lock lies, as far as this host can know. */
export async function isLocked(file: string): Promise<boolean> {
  return (await lockHolder(file)) !== undefined;
}

/** The process that trains where this lock lies, as far as this host can know; undefined where there is none. */
export async function lockHolder(file: string): Promise<LockHolder | undefined> {
  const holder = readHolder((await textOf(file)) ?? '');
  return holder === undefined || isGone(holder) ? undefined : holder;
}

/** Whether the process that took a lock has ended, as far as this host can know. */
function isGone(holder: LockHolder): boolean {
  if (holder.host !== hostname()) return false;
  const { boot, namespace } = thisSystem();
  const differs = (before: string | null, now: string | null): boolean =>
    before !== null && now !== null && before !== now;
  if (differs(holder.boot, boot) || differs(holder.namespace, namespace)) return true;
  if (boot === null && Date.parse(holder.since) < Date.now() - uptime() * 1000 - CLOCK_SLACK_MS) return true;
  return !isAlive(holder.pid) || differs(holder.processStart, processStart(holder.pid));
}

/** Whether a process with that id runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM'; // there, and another user's
  }
  const [state] = linuxStatus(pid) ?? [];
  return state !== 'Z' && state !== 'X';
}

function thisProcess(): LockHolder {
  return {
    pid: process.pid,
    host: hostname(),
    ...thisSystem(),
    processStart: processStart(process.pid),
    since: new Date().toISOString(),
  };
}

function thisSystem(): Pick<LockHolder, 'boot' | 'namespace'> {
  if (process.platform !== 'linux') return { boot: null, namespace: null };
  return {
    boot: orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    namespace: orNull(() => readlinkSync('/proc/self/ns/pid')),
  };
}

/** Start time of a process, as the system writes it; null if unknown. */
function processStart(pid: number): string | null {
  if (process.platform === 'linux') return linuxStatus(pid)?.[19] ?? null;
  if (process.platform === 'win32') return null;
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  return stdout?.trim() || null;
}

/** Fields of /proc/<pid>/stat after the name of the program: its state first, its start as the twentieth. */
function linuxStatus(pid: number): string[] | undefined {
  const text = orNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Reads /proc; null if there is none. */
function orNull(read: () => string): string | null {
  try {
    return read();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return null;
  }
}
