/**
 * The cache of the Hugging Face hub on this machine, as Python's huggingface_hub lays it out, so that both find what the
 * other has fetched:
 *
 *   models--owner--name/, or datasets--owner--name/
 *     refs/main                    the commit that the branch had when it was asked
 *     blobs/<hash>                 contents
 *     snapshots/<commit>/<file>    links into blobs; files of their own where a system has no links
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { INDEX, WHOLE } from '../../../src/run/model/file_names.ts';
import { type HubName, isCommit } from './names.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** A model as one commit has it. */
export interface Snapshot {
  readonly commit: string;
  readonly folder: string;
}

/** HF_HUB_CACHE, else hub/ in HF_HOME, else ~/.cache/huggingface/hub. */
export function hubCache(env: Variables = process.env): string {
  const configured = env.HF_HUB_CACHE || env.HUGGINGFACE_HUB_CACHE;
  if (configured) return resolve(configured);
  const home = env.HF_HOME || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'huggingface');
  return resolve(home, 'hub');
}

/** HF_HUB_OFFLINE and TRANSFORMERS_OFFLINE, read as Python's libraries read them. */
export function isOffline(env: Variables = process.env): boolean {
  return [env.HF_HUB_OFFLINE, env.TRANSFORMERS_OFFLINE].some((value) => /^(1|on|yes|true)$/i.test(value ?? ''));
}

export function repositoryFolder(cache: string, { owner, name, kind = 'model' }: HubName): string {
  return join(cache, `${kind}s--${owner}--${name}`);
}

export function snapshotFolder(cache: string, name: HubName, commit: string): string {
  return join(repositoryFolder(cache, name), 'snapshots', commit);
}

export function refFile(cache: string, name: HubName): string {
  return join(repositoryFolder(cache, name), 'refs', name.revision);
}

/** The commit that a revision had when it was asked for; undefined where it never was. */
export function knownCommit(cache: string, name: HubName): string | undefined {
  return isCommit(name.revision) ? name.revision : commitOf(refFile(cache, name));
}

/** What the cache has of a model; undefined where it was never fetched, or not its config and weights. */
export function findSnapshot(cache: string, name: HubName): Snapshot | undefined {
  const commit = knownCommit(cache, name);
  if (commit === undefined) return undefined;
  const folder = snapshotFolder(cache, name, commit);
  const has = (file: string): boolean => isFile(join(folder, file));
  return has('config.json') && (has(WHOLE) || has(INDEX)) ? { commit, folder } : undefined;
}

function commitOf(file: string): string | undefined {
  if (!isFile(file)) return undefined;
  const commit = readFileSync(file, 'utf8').trim();
  return isCommit(commit) ? commit : undefined;
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
