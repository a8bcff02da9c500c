/** The files of a data set that a config names: where they lie, what they are called in the run, and their hashes. */
import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { DataFiles } from '../../src/data/datasets/data_files.ts';
import { type DatasetEntry, FILE_KNOBS } from './asks.node.ts';
import { diskFiles, hashOfFile } from './data/datasets/disk_files.node.ts';
import { hubDataset, hubFile } from './data/datasets/hub_file.node.ts';
import { pathFrom } from './module.node.ts';

export interface FoundDataset<E> {
  readonly files: DataFiles;
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
  const given = entry as DatasetEntry; // its card, or the schema of the keys, has read it
  const hub = typeof given.hub === 'string' ? hubDataset(given.hub) : undefined;
  for (const knob of FILE_KNOBS) {
    const written = given[knob];
    if (written === undefined || typeof written === 'number') continue; // a share of the rows has no file
    // What is typed at the prompt is meant from where it is typed.
    const key = problems.written(`${place}.${knob}`, `${place}.data_files`, place, 'data_files') ?? place;
    const folder = problems.placeOf(key).label === '--set' ? '.' : dirname(file);
    const named: string[] = [];
    for (const name of [written].flat()) {
      const path = hub === undefined ? resolve(folder, name) : await hubFile(hub, name);
      const moved = hub !== undefined || directory === undefined ? name : pathFrom(directory, path);
      paths.set(name, path);
      names.set(hub === undefined ? moved : `hub:${given.hub}/${name}`, path);
      named.push(moved);
    }
    inRun[knob] = typeof written === 'string' ? named[0] : named;
  }
  return {
    files: diskFiles((name) => paths.get(name) ?? resolve(dirname(file), name)),
    inRun: { ...entry, ...inRun },
    hashes: () => Promise.all([...names].map(async ([name, path]) => [name, await hashOfFile(path)] as const)),
  };
}
