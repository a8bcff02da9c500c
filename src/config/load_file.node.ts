/** Reads a configuration from disk. */
import { createReadStream, existsSync } from 'node:fs';
import { ConfigError } from '../errors.ts';
import { type LoadedConfig, parseConfig } from './load.ts';
import { assignmentOf, type Override } from './overrides.ts';
import type { Library } from './registries.ts';
import { MOST_CHARACTERS } from './yaml/yaml_document.ts';
import { tooLarge } from './yaml/yaml_tree.ts';

/**
 * Reads, parses and validates a YAML file.
 *
 * @param file       path, shown in errors as given
 * @param library    what the config may name
 * @param overrides  as for `parseConfig`
 * @throws ConfigError `config-file` where it cannot be read; else as `parseConfig`
 */
export async function loadConfigFile(
  file: string,
  library: Library,
  overrides: readonly Override[] = [],
): Promise<LoadedConfig> {
  const text = await readText(file);
  const registries = await library.naming(text, ...overrides.map(assignmentOf));
  return parseConfig(text, { file, registries }, overrides);
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readBytes(file));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (error instanceof TypeError) throw notText(file);
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'; // node:fs rejects with nothing else
    const near = code === 'ENOENT' ? alike(file) : undefined;
    const reason = near === undefined ? REASONS[code] : `no such file; there is ${near}`;
    throw new ConfigError('config-file', `${file}  ${reason ?? `cannot be read (${code}); check the path`}.`, {
      file,
      code,
    });
  }
}

/** A device or a pipe may never end. @throws ConfigError beyond what a config has */
async function readBytes(file: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MOST_CHARACTERS) throw tooLarge(file);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A config that is there, where its folder or its ending was left out. */
function alike(file: string): string | undefined {
  const guesses = [`${file}.yaml`, `configs/${file}`, `configs/${file}.yaml`];
  return guesses.find((guess) => existsSync(guess));
}

/** Bytes that are no UTF-8: another kind of file, or a text that Windows saved as UTF-16. */
function notText(file: string): ConfigError {
  const rule = 'not a text in UTF-8, which a config is; give the .yaml file, or save it as UTF-8';
  return new ConfigError('binary-config', `${file}  ${rule}.`, { file });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file; check the path, or copy a shipped config: `configs ls` lists them',
  EISDIR: 'a directory, not a file; give a .yaml file in it',
  EACCES: 'not readable by this user; check its permissions',
};
