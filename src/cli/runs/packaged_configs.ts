/** The configs that the package brings. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packageFile } from '../../package_folder.node.ts';

export const CONFIGS_FOLDER = packageFile('configs');

/** In it, a config for each published system that a small task can run. */
const SYSTEMS_FOLDER = 'systems';

export function packagedNames(): string[] {
  return namesIn(CONFIGS_FOLDER);
}

/** Their names, as `--config` takes them. */
export function systemNames(): string[] {
  return namesIn(join(CONFIGS_FOLDER, SYSTEMS_FOLDER)).map((name) => `${SYSTEMS_FOLDER}/${name}`);
}

/** In the order of their files. */
function namesIn(folder: string): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files.sort().map((file) => file.slice(0, -'.yaml'.length));
}

/**
 * The shortest path of a packaged config; undefined for another name. Published systems are `systems/NAME`, as in
 * `explain`.
 */
export function packagedConfigFile(name: string): string | undefined {
  if (!packagedNames().includes(name) && !systemNames().includes(name)) return undefined;
  const file = join(CONFIGS_FOLDER, `${name}.yaml`);
  const fromHere = relative('.', file);
  return fromHere.startsWith('..') ? file : fromHere;
}
