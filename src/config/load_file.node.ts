/** Reads a configuration from disk. */
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../errors.ts';
import { type LoadedConfig, parseConfig } from './load.ts';
import type { Override } from './overrides.ts';

/**
 * Reads, parses and validates a YAML file.
 *
 * @param file       path, shown in errors as given
 * @param overrides  as for `parseConfig`
 * @throws ConfigError `config-file` where it cannot be read; else as `parseConfig`
 */
export async function loadConfigFile(file: string, overrides: readonly Override[] = []): Promise<LoadedConfig> {
  return parseConfig(await readText(file), { file }, overrides);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'; // node:fs rejects with nothing else
    throw new ConfigError('config-file', `${file}  ${REASONS[code] ?? `cannot be read (${code}); check the path`}.`, {
      file,
      code,
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file; check the path, or copy a shipped config: npx rlvr-train configs ls',
  EISDIR: 'a directory, not a file; give a .yaml file in it',
  EACCES: 'not readable by this user; check its permissions',
};
