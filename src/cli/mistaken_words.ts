/** Explains words of the command line that are no command, flag or value: one line, with what to give. */

import { ConfigError } from '../errors.ts';
import { shellQuoted } from '../format.ts';
import { nearestKey } from '../options/nearest_name.ts';
import type { Command } from './flags/command.ts';
import { spelled } from './flags/flag.ts';
import { packagedConfigFile, packagedNames } from './runs/packaged_configs.ts';

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

/** @throws ConfigError for any word, which is probably a mistaken command */
export function refuseWords([word]: readonly string[], all: readonly Command[]): void {
  if (word !== undefined) throw new ConfigError('unknown-command', unknownWord(word, all), { word });
}

/** Whether a word names a config: a YAML file, or one that is shipped. */
export function isConfig(word: string): boolean {
  return /\.ya?ml$/.test(word) || packagedConfigFile(word) !== undefined;
}

/** The flags of `train`, whose config may be a word. @throws ConfigError for other words, and for two configs */
export function withConfigWord<F extends { readonly config?: string; readonly set?: readonly string[] }>(
  flags: F,
  words: readonly string[],
  all: readonly Command[],
): F {
  refuseSpacedSet(words, flags.set);
  const [config = flags.config, ...others] = words;
  const noConfigs = words.filter((word) => !isConfig(word));
  refuseWords(noConfigs, all);
  if (others.length === 0 && (words.length === 0 || flags.config === undefined)) return { ...flags, config };
  const given = flags.config === undefined ? words : [...words, flags.config];
  throw new ConfigError('two-configs', `${given.join(' ')} — a run has one config; train one after the other.`, {
    words,
  });
}

/** What an unknown word may have meant. */
export function unknownWord(word: string, all: readonly Command[]): string {
  if (isConfig(word))
    return `${word} — a config, which this command does not take; train it: train ${shellQuoted(word)}.`;
  const names = all.filter(({ isAlias }) => !isAlias).map(({ name }) => name);
  const { flags = {} } = all.find(({ isDefault }) => isDefault) ?? {};
  if (Object.keys(flags).map(spelled).includes(`--${word}`)) return `${word} — a flag, not a command; use --${word}.`;
  const nearest = nearestKey(word, [...names, ...packagedNames()]);
  if (nearest !== undefined) return `${word} — no such command or config; did you mean "${nearest}"?`;
  const rule = 'neither a command nor a config nor the value of a flag (rlvr-train --help lists the commands)';
  return `${word} — ${rule}; an output directory is --output ${shellQuoted(word)}.`;
}
