/** The configs that the package brings. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packageFile } from '../../package_folder.node.ts';

const CONFIGS_FOLDER = packageFile('configs');

/** In it, a config for each published system that a small task can run. */
const SYSTEMS_FOLDER = 'systems';

export interface PackagedConfig {
  readonly name: string;
  /** First sentence of the file's comment: what it teaches. */
  readonly about: string;
  /** What follows `# Takes` in its comment: a measured time. */
  readonly takes: string | undefined;
  /** What follows `# Reaches` there: measured accuracies, over seeds. */
  readonly reaches: string | undefined;
}

/** What a config's own comment says of it. */
export function describeConfig(name: string, text: string): PackagedConfig {
  const comment = /^(?:#.*\n)*/.exec(text.replace(/^# yaml-language-server:.*\n/, ''))?.[0] ?? '';
  const words = comment.replace(/^# ?/gm, '').replace(/\s+/g, ' ').trim();
  const about = /^.*?[.](?= |$)/.exec(words)?.[0] ?? words;
  const after = (word: string): string | undefined => new RegExp(`^# ${word} (.+?)\\.?$`, 'm').exec(comment)?.[1];
  return { name, about, takes: after('Takes'), reaches: after('Reaches') };
}

export function packagedConfigs(): PackagedConfig[] {
  const files = readdirSync(CONFIGS_FOLDER).filter((file) => file.endsWith('.yaml'));
  return files
    .sort()
    .map((file) => describeConfig(file.slice(0, -'.yaml'.length), readFileSync(join(CONFIGS_FOLDER, file), 'utf8')));
}

export function packagedNames(): string[] {
  return packagedConfigs().map(({ name }) => name);
}

/** Their names, as `--config` takes them. */
export function systemNames(): string[] {
  const files = readdirSync(join(CONFIGS_FOLDER, SYSTEMS_FOLDER)).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => `${SYSTEMS_FOLDER}/${file.slice(0, -'.yaml'.length)}`);
}

/**
 * The file of a config of the package, as short as it can be said from here; undefined for another name. Those of
 * published systems are `systems/NAME`, as `explain` says.
 */
export function packagedConfigFile(name: string): string | undefined {
  if (!packagedNames().includes(name) && !systemNames().includes(name)) return undefined;
  const file = join(CONFIGS_FOLDER, `${name}.yaml`);
  const fromHere = relative('.', file);
  return fromHere.startsWith('..') ? file : fromHere;
}
