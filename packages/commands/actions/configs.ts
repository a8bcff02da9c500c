/** `rlvr-train configs ls` and `configs cp NAME [FILE]`: the configs of the package. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import {
  CONFIGS_FOLDER,
  packagedConfigFile,
  packagedNames,
  systemNames,
} from '../../../src/cli/runs/packaged_configs.ts';
import { commandName } from '../../../src/command_name.ts';
import { ConfigError } from '../../../src/errors.ts';
import { printable, shellQuoted } from '../../../src/format.ts';
import { didYouMean } from '../../../src/options/nearest_name.ts';
import { relinkSchema } from '../runs/schema_line.ts';

interface PackagedConfig {
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
  return packagedNames().map((name) =>
    describeConfig(name, readFileSync(join(CONFIGS_FOLDER, `${name}.yaml`), 'utf8')),
  );
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
  print(`train one: ${commandName()} NAME; change one: ${commandName()} configs cp NAME my.yaml`);
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
  print(`${printable(target)} written; train it with: ${commandName()} ${shellQuoted(target)}`);
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
