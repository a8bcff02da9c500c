/**
 * What the user has agreed to: code of others, by its hash, asked once, until it changes; and what configs ask besides, a
 * server, a variable, a file. Kept for the user, not for a project: `$XDG_STATE_HOME/rlvr-train/agreed_code.json`, else below `~/.local/state`.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Ask, FoundFile } from '../../../src/run/opened_config.ts';

/** More would be of files that are long gone. */
const MOST_ENTRIES = 1000;

function storeFile(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'rlvr-train', 'agreed_code.json');
}

/** One hash of a file and of all that it imports. */
export function hashOfCode({ hashes }: Pick<FoundFile, 'hashes'>): string {
  const all = hashes.map(([, sha256]) => sha256).sort();
  return createHash('sha256').update(all.join('\n')).digest('hex');
}

/** Hash to path, oldest first. */
export type AgreedCode = ReadonlyMap<string, string>;

/** As it is kept; empty where nothing was ever agreed to, or what is there is not ours. */
async function read(): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(storeFile(), 'utf8').catch(() => ''); // not there, or not for us to read: ask again
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {}; // only its keys count
  } catch {
    return {}; // empty or damaged: ask again
  }
}

export async function agreedCode(): Promise<AgreedCode> {
  return new Map(Object.entries(await read()));
}

/** Stands for the hash of what is no code. */
export function hashOfAsk({ name, path }: Pick<Ask, 'name' | 'path'>): string {
  return createHash('sha256')
    .update(`${path === undefined ? 'server' : 'file'}\n${name}`)
    .digest('hex');
}

/** @returns whether that could be written */
export async function rememberAgreed(files: readonly FoundFile[], asks: readonly Ask[]): Promise<boolean> {
  const known = await read();
  const agreed = [
    ...files.map((file) => [hashOfCode(file), file.reference.path] as const),
    ...asks.map((asked) => [hashOfAsk(asked), asked.name] as const),
  ];
  const fresh = agreed.filter(([hash]) => !Object.hasOwn(known, hash));
  if (fresh.length === 0) return true;
  const entries = [...Object.entries(known), ...fresh];
  const file = storeFile();
  const temporary = `${file}.${process.pid}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const kept = Object.fromEntries(entries.slice(-MOST_ENTRIES));
    await writeFile(temporary, `${JSON.stringify(kept, null, 1)}\n`, { mode: 0o600 });
    await rename(temporary, file);
    return true;
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
    return false; // a home that cannot be written to, as in a container
  }
}
