/** The library's function that reads a config from disk, whose names are looked up among everything that the package has. */
import type { LoadedConfig } from '../../../src/config/load.ts';
import { loadConfigFile as loadFile } from '../../../src/config/load_file.node.ts';
import type { Override } from '../../../src/config/overrides.ts';
import type { Library } from '../../../src/config/registries.ts';
import { zooLibrary } from '../library.ts';

/**
 * Reads, parses and validates a YAML file.
 *
 * @param file       path, shown in errors as given
 * @param overrides  as for `parseConfig`
 * @param library    what the config may name; default: everything that the package has
 * @throws ConfigError `config-file` where it cannot be read; else as `parseConfig`
 */
export function loadConfigFile(
  file: string,
  overrides: readonly Override[] = [],
  library: Library = zooLibrary,
): Promise<LoadedConfig> {
  return loadFile(file, library, overrides);
}
