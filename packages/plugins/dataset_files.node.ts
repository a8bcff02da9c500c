/** The files of a data set that a config names: where they lie, what they are called in the run, and their hashes. */
import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { DataFiles } from '../../src/data/data_files.ts';
import { DataError, HubError } from '../../src/errors.ts';
import { hubCache, isOffline } from '../models/hub/cache.node.ts';
import { HubClient } from '../models/hub/client.ts';
import { HubDataset } from '../models/hub/fetch_dataset.node.ts';
import { readHubName } from '../models/hub/names.ts';
import { type DatasetEntry, FILE_KNOBS } from './asks.node.ts';
import { diskFiles, hashOfFile } from './data/datasets/disk_files.node.ts';
import { pathFrom } from './module.node.ts';

export interface FoundDataset<E> {
  readonly files: DataFiles;
  /** The entry with the names that `files` knows: those of the files of each split. */
  readonly entry: E;
  /** The entry as the run's config has it: files named from the run directory. */
  readonly inRun: E;
  /** SHA-256 by name in the run's config. */
  hashes(): Promise<readonly (readonly [string, string])[]>;
}

/**
 * @param entry  of the config, whose knobs were read
 * @param place  its key
 * @throws DataError where a file of the hub cannot be fetched
 */
export async function findDataset<E extends object>(
  { problems }: LoadedConfig,
  { file, directory }: { readonly file: string; readonly directory?: string },
  entry: E,
  place: string,
): Promise<FoundDataset<E>> {
  const paths = new Map<string, string>();
  const names = new Map<string, string>();
  const inRun: Record<string, string | readonly string[]> = {};
  const read: Record<string, readonly string[]> = {};
  const given = entry as DatasetEntry; // its card, or the schema of the keys, has read it
  const { hub, hub_config } = given;
  const dataset = hub === undefined ? undefined : await orSay(hub, () => openHub(hub));
  for (const knob of FILE_KNOBS) {
    const written = given[knob];
    if (written === undefined || typeof written === 'number') continue; // a share of the rows has no file
    // What is typed at the prompt is meant from where it is typed.
    const key = problems.written(`${place}.${knob}`, `${place}.data_files`, place, 'data_files') ?? place;
    const folder = problems.placeOf(key).label === '--set' ? '.' : dirname(file);
    const named: string[] = [];
    const opened: string[] = [];
    for (const name of [written].flat()) {
      if (dataset !== undefined) {
        const files = await orSay(`${hub}`, () => dataset.filesOf(name, hub_config));
        const places = await orSay(`${hub}`, () => dataset.takeAll(files));
        for (const [i, path] of files.entries()) {
          paths.set(path, places[i]);
          names.set(`hub:${hub}/${path}`, places[i]);
        }
        named.push(name);
        opened.push(...files);
        continue;
      }
      const path = resolve(folder, name);
      const moved = directory === undefined ? name : pathFrom(directory, path);
      paths.set(name, path);
      names.set(moved, path);
      named.push(moved);
      opened.push(name);
    }
    inRun[knob] = typeof written === 'string' ? named[0] : named;
    read[knob] = opened;
  }
  return {
    files: diskFiles((name) => paths.get(name) ?? resolve(dirname(file), name)),
    entry: { ...entry, ...read },
    inRun: { ...entry, ...inRun },
    hashes: () => Promise.all([...names].map(async ([name, path]) => [name, await hashOfFile(path)] as const)),
  };
}

/** @throws HubError */
function openHub(hub: string): Promise<HubDataset> {
  const name = readHubName(hub);
  if (name === undefined) throw new HubError('bad-name', `${hub} — no name of the hub; give owner/name.`);
  const { HF_ENDPOINT: endpoint, HF_TOKEN: token } = process.env;
  const client = isOffline() ? undefined : new HubClient({ endpoint, token });
  return HubDataset.open({ ...name, kind: 'dataset' }, { client, cache: hubCache() });
}

async function orSay<T>(hub: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    throw new DataError('hub', error.message, { file: `hub:${hub}` });
  }
}
