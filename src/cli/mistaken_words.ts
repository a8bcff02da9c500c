/** Explains words of the command line that are no command, flag or value: one line, with what to give. */

import { ConfigError } from '../errors.ts';
import { shellQuoted } from '../format.ts';
import { nearestKey } from '../options/nearest_name.ts';
import type { Command } from './flags/command.ts';
import { spelled } from './flags/flag.ts';
import { packagedConfigFile } from './runs/packaged_configs.ts';

const UNKNOWN_FLAG = /^error: unknown option '--([\w.-]+)[^\n]*'\s*/;

/** Commander's message and its suggestion, joined into one line. */
export function oneLine(message: string): string {
  return `${message
    .trim()
    .replace(/\n\(Did you mean (.+)\?\)/, ' — did you mean $1?')
    .replace(/\s*\n\s*/g, ' ')} (rlvr-train --help lists the commands and flags)\n`;
}

/** A flag that the default command lacks; explaining it needs the config's keys, which are loaded only then. */
export class UnknownFlag extends Error {}

/** Explains `--learning_rate 1e-4`, the style of other trainers: here --set sets a key of the config. */
export async function unknownFlagLine({ message }: UnknownFlag): Promise<string> {
  const [, flag = ''] = UNKNOWN_FLAG.exec(message) ?? [];
  const key = flag.replaceAll('-', '_');
  const { isTopLevelKey } = await import('../config/run_config.ts');
  if (isTopLevelKey(key)) return `--${flag} — a key of the config, not a flag; use --set ${key}=VALUE.`;
  return oneLine(message).trimEnd();
}

/** Whether it is commander's message of a flag that it does not know. */
export function isUnknownFlag(message: string): boolean {
  return UNKNOWN_FLAG.test(message);
}

/** A flag with a value that is given twice: the last one would win in silence. */
export function repeatedFlag(flag: string, first: string, second: string): ConfigError {
  const rule = 'given twice, and takes one value; keep one';
  return new ConfigError('repeated-flag', `${flag} ${first} ${flag} ${second} — ${rule}.`, { flag, first, second });
}

/** `--set seed 3`: the value has become a word. @throws ConfigError */
export function refuseSpacedSet([word]: readonly string[], set: readonly string[] = []): void {
  const key = set.find((override) => !override.includes('='));
  if (word === undefined || key === undefined) return;
  const rule = 'a key and its value are joined by "="';
  throw new ConfigError('spaced-set', `--set ${key} ${word} — ${rule}; use --set ${shellQuoted(`${key}=${word}`)}.`, {
    key,
    word,
  });
}

/** @throws ConfigError for any word: an unknown command, or a config without its flag */
export function refuseWords([word]: readonly string[], all: readonly Command[]): void {
  if (word !== undefined) throw new ConfigError('unknown-command', unknownWord(word, all), { word });
}

/** What an unknown word may have meant. */
export function unknownWord(word: string, all: readonly Command[]): string {
  if (/\.ya?ml$/.test(word)) return `${word} — a config needs its flag; use --config ${shellQuoted(word)}.`;
  if (packagedConfigFile(word) !== undefined) return `${word} — a shipped config needs its flag; use --config ${word}.`;
  const names = all.map(({ name }) => name);
  const flags = all.flatMap(({ flags: declared = {} }) => Object.keys(declared).map(spelled));
  if (flags.includes(`--${word}`)) return `${word} — a flag, not a command; use --${word}.`;
  const nearest = nearestKey(word, names);
  if (nearest !== undefined) return `${word} — no such command (${names.join(', ')}); did you mean "${nearest}"?`;
  return `${word} — neither a command (${names.join(', ')}) nor the value of a flag; an output directory is --output ${shellQuoted(word)}.`;
}
