/** The files of the user's that a config names: where they lie, what is in them. Nothing is run. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import { RlvrError } from '../../src/errors.ts';
import type { FoundFile } from '../../src/run/opened_config.ts';
import { findSnapshot, hubCache } from '../models/hub/cache.node.ts';
import { hubNameText, readHubName } from '../models/hub/names.ts';
import { adapterPath, furtherPath, modelPath } from '../models/run/model/model_paths.node.ts';
import { importedFiles } from './imported_files.node.ts';
import { hashModule, moduleReference, pathFrom } from './module.node.ts';
import { type NeededOptions, namedFiles } from './named_entries.ts';

/** What a search needs of `PluginOptions`. */
export interface SearchOptions extends NeededOptions {
  readonly file: string;
  readonly directory?: string;
}

/** Files by the name that the config gives. One that cannot be read is left to the opener, which says why. */
export async function findFiles(loaded: LoadedConfig, options: SearchOptions): Promise<ReadonlyMap<string, FoundFile>> {
  const found = new Map<string, FoundFile>();
  for (const { plugin, place } of namedFiles(loaded, options)) {
    if (found.has(plugin.name)) continue;
    try {
      found.set(plugin.name, await findFile(loaded, options, plugin, place));
    } catch (error) {
      if (!RlvrError.is(error)) throw error;
    }
  }
  return found;
}

/** @throws PluginError `rule; remedy` where it cannot be read */
export async function findFile(
  { problems }: LoadedConfig,
  { file, directory }: SearchOptions,
  plugin: { readonly name: string; readonly export?: unknown },
  place: string,
): Promise<FoundFile> {
  // What is typed at the prompt is meant from where it is typed.
  const isTyped = problems.placeOf(place).label === '--set';
  const reference = moduleReference(plugin.name, plugin.export, isTyped ? '.' : dirname(file));
  const inRunOf = (path: string): string => (directory === undefined ? path : pathFrom(directory, path));
  const hashOf = async (path: string) => [inRunOf(path), await hashModule({ path })] as const;
  const own = await hashOf(reference.path); // first of all: it says what is wrong where the file cannot be read
  const imported = await importedFiles(reference.path);
  const hashes = [own, ...(await Promise.all(imported.map(hashOf)))];
  const role = place.startsWith('reporters') ? 'reporter' : 'training';
  return { name: plugin.name, place, role, isTyped, reference, inRun: inRunOf(reference.path), imported, hashes };
}

/** The adapter as the run's own config names it. */
export function adapterInRun(loaded: LoadedConfig, { file, directory }: SearchOptions): string | undefined {
  const { adapterNameOrPath: given } = loaded.config;
  const path = adapterPath(loaded, file);
  if (given === undefined || path === undefined || isAbsolute(given) || directory === undefined) return given;
  return pathFrom(directory, path);
}

/** Its further models, likewise. */
export function modelsInRun(loaded: LoadedConfig, options: SearchOptions): RunConfig['models'] {
  const { models } = loaded.config;
  if (models === undefined) return undefined;
  const named = Object.entries(models).map(([name, { path }]) => {
    return [
      name,
      { path: placeInRun(path, furtherPath(loaded, options.file, name, path), options.directory) },
    ] as const;
  });
  return Object.fromEntries(named);
}

/**
 * The same model as the run's own config names it: by the way from the run directory, and a model of the hub by its
 * commit, so that a branch that moves does not change the run.
 */
export function modelInRun(loaded: LoadedConfig, { file, directory }: SearchOptions): string | undefined {
  const { modelNameOrPath: given } = loaded.config;
  const path = modelPath(loaded, file);
  return given === undefined || path === undefined ? given : placeInRun(given, path, directory);
}

/** @param path  of `given`, from the current folder */
function placeInRun(given: string, path: string, directory: string | undefined): string {
  if (isAbsolute(given)) return given;
  const name = existsSync(path) ? undefined : readHubName(given);
  const snapshot = name && findSnapshot(hubCache(), name);
  if (name !== undefined && snapshot !== undefined) return hubNameText({ ...name, revision: snapshot.commit });
  return directory === undefined ? given : pathFrom(directory, path);
}
