/** Where a model that a config names lies: paths are relative to the config's folder, and typed ones to the current folder. */
import { dirname, resolve } from 'node:path';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import type { Problems } from '../../../../src/config/problems.ts';

/** The model that the run begins with, from where the command was typed; undefined: it begins with random weights. */
export function modelPath({ config, problems }: LoadedConfig, file: string): string | undefined {
  return pathOf(config.modelNameOrPath, 'model_name_or_path', problems, file);
}

/** The same for the adapter that the run continues. */
export function adapterPath({ config, problems }: LoadedConfig, file: string): string | undefined {
  return pathOf(config.adapterNameOrPath, 'adapter_name_or_path', problems, file);
}

/** The same for a further model of the run. */
export function furtherPath({ problems }: LoadedConfig, file: string, name: string, path: string): string {
  return resolved(path, `models.${name}.path`, problems, file);
}

function pathOf(path: string | undefined, key: string, problems: Problems, file: string): string | undefined {
  return path === undefined ? undefined : resolved(path, key, problems, file);
}

function resolved(path: string, key: string, problems: Problems, file: string): string {
  const isTyped = problems.placeOf(key).label === '--set';
  return resolve(isTyped ? '.' : dirname(file), path);
}
