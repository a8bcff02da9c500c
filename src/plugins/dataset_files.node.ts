/** The files of a data set that a config names: where they lie, what they are called in the run, and their hashes. */
import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { DATASET } from '../data/datasets/card.ts';
import type { DataFiles } from '../data/datasets/data_files.ts';
import { diskFiles, hashOfFile } from '../data/datasets/disk_files.node.ts';
import { hubDataset, hubFile } from '../data/datasets/hub_file.node.ts';
import type { Plugin } from '../options/keys.ts';
import { isModuleFile } from '../rewards/module_file.ts';
import { pathFrom } from './module.node.ts';

export interface FoundDataset {
  readonly files: DataFiles;
  /** The task as the run's config has it: files named from the run directory. */
  readonly inRun: Plugin;
  /** SHA-256 by name in the run's config. */
  hashes(): Promise<readonly (readonly [string, string])[]>;
}

/** The file of the user's that compares answers; undefined where a built-in comparison does. */
export function verifierOf({ name, verify }: Plugin): string | undefined {
  return name === DATASET && typeof verify === 'string' && isModuleFile(verify) ? verify : undefined;
}

const FILE_KNOBS = ['train', 'held_out'] as const;

/**
 * @param entry  of the config, whose knobs were read
 * @param place  its key
 * @throws DataError where a file of the hub cannot be fetched
 */
export async function findDataset(
  { problems }: LoadedConfig,
  { file, directory }: { readonly file: string; readonly directory?: string },
  entry: Plugin,
  place: string,
): Promise<FoundDataset> {
  const paths = new Map<string, string>();
  const names = new Map<string, string>();
  const inRun: Record<string, Plugin[string]> = {};
  const hub = typeof entry.hub === 'string' ? hubDataset(entry.hub) : undefined;
  for (const knob of FILE_KNOBS) {
    if (entry[knob] === undefined) continue;
    // What is typed at the prompt is meant from where it is typed.
    const folder = problems.placeOf(`${place}.${knob}`).label === '--set' ? '.' : dirname(file);
    const written = [entry[knob]].flat() as readonly string[]; // its card has read them
    const named: string[] = [];
    for (const name of written) {
      const path = hub === undefined ? resolve(folder, name) : await hubFile(hub, name);
      const moved = hub !== undefined || directory === undefined ? name : pathFrom(directory, path);
      paths.set(name, path);
      names.set(hub === undefined ? moved : `hub:${entry.hub}/${name}`, path);
      named.push(moved);
    }
    inRun[knob] = named.length === 1 ? named[0] : named;
  }
  return {
    files: diskFiles((name) => paths.get(name) ?? resolve(dirname(file), name)),
    inRun: { ...entry, ...inRun },
    hashes: () => Promise.all([...names].map(async ([name, path]) => [name, await hashOfFile(path)] as const)),
  };
}
