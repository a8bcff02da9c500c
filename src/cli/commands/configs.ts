/** `rlvr-train configs ls` and `configs cp NAME [FILE]`: the configs of the package. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandName } from '../../command_name.ts';
import { ConfigError } from '../../errors.ts';
import { printable, shellQuoted } from '../../format.ts';
import { didYouMean } from '../../options/nearest_name.ts';
import { colors } from '../display/colors.ts';
import { print, printJson } from '../display/output.ts';
import { command } from '../flags/command.ts';
import { toggle } from '../flags/flag.ts';
import { relinkSchema } from './schema.ts';

export const CONFIGS = command({
  name: 'configs',
  does: 'the shipped configs',
  usage: 'ls | cp <name> [file]',
  inner: [
    command({
      name: 'ls',
      isDefault: true,
      does: 'what each teaches, and how long it takes',
      explainsWords: true,
      flags: { json: toggle('print them as JSON') },
      run([word], flags) {
        if (word === undefined) return listConfigs(flags);
        const remedy = 'configs ls lists them, configs cp NAME copies one';
        throw new ConfigError('unknown-command', `configs ${word} — no such command; ${remedy}.`, { word });
      },
    }),
    command({
      name: 'cp',
      does: 'copy one, to change it',
      words: [{ syntax: '<name>' }, { syntax: '[file]', text: 'default: <name>.yaml in this directory' }],
      flags: { force: toggle('replace the file if it is there') },
      run: ([name, file], flags) => copyConfig(name, file, flags),
    }),
  ],
  examples: [{ words: 'configs ls', does: 'the shipped configs; `configs cp NAME` copies one' }],
});

/** Two folders up, from `src/cli` as from `dist/cli`. */
const CONFIGS_FOLDER = fileURLToPath(new URL('../../../configs/', import.meta.url));

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

function packagedConfigs(): PackagedConfig[] {
  const files = readdirSync(CONFIGS_FOLDER).filter((file) => file.endsWith('.yaml'));
  return files
    .sort()
    .map((file) => describeConfig(file.slice(0, -'.yaml'.length), readFileSync(join(CONFIGS_FOLDER, file), 'utf8')));
}

export function packagedNames(): string[] {
  return packagedConfigs().map(({ name }) => name);
}

function systemNames(): string[] {
  const files = readdirSync(join(CONFIGS_FOLDER, SYSTEMS_FOLDER)).filter((file) => file.endsWith('.yaml'));
  return files.map((file) => `${SYSTEMS_FOLDER}/${file.slice(0, -'.yaml'.length)}`);
}

export function listConfigs({ json = false }: { readonly json?: boolean }): void {
  const configs = packagedConfigs();
  if (json) {
    printJson(JSON.stringify(configs));
    return;
  }
  for (const { name, about, takes, reaches } of configs) {
    print(`${colors.bold(name)}  ${about}`);
    if (reaches !== undefined) print(colors.dim(`  reaches ${reaches}`));
    if (takes !== undefined) print(colors.dim(`  takes ${takes}`));
  }
  print(
    `\n${systemNames().length} more are of published systems: ${commandName()} explain NAME says which, such as Pref-GRPO`,
  );
  print(`train one: ${commandName()} --config NAME; change one: ${commandName()} configs cp NAME my.yaml`);
}

/** @throws ConfigError for an unknown name, or a file that is there already */
export function copyConfig(
  name: string,
  file: string | undefined,
  { force = false }: { readonly force?: boolean },
): void {
  const source = packagedConfigFile(name);
  if (source === undefined) throw unknownConfig(name);
  const target = file ?? `${basename(name)}.yaml`;
  const folder = dirname(resolve(target));
  const text = readFileSync(source, 'utf8');
  try {
    writeFileSync(target, existsSync(folder) ? relinkSchema(text, folder) : text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new ConfigError('config-file', `${target}  ${refusal(error)}`, { file: target });
  }
  print(`${printable(target)} written; train it with: ${commandName()} --config ${shellQuoted(target)}`);
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

function unknownConfig(name: string): ConfigError {
  const names = packagedNames();
  const near = didYouMean(name, [...names, ...systemNames()]);
  const message = `${name} — no such config (${names.join(', ')})${near}`;
  return new ConfigError('unknown-config', message, { name, names });
}

function refusal(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (code === 'EEXIST') return 'is there already; give another name, or --force to replace it.';
  if (code === 'ENOENT') return 'cannot be written, as its directory does not exist; make that first.';
  return `cannot be written (${code}); check the path and its permissions.`;
}
