/** The config that a run was started with, as its directory has it: every default is written there. */
import { parseConfig } from '../config/load.ts';
import type { Registries } from '../config/registries.ts';
import type { RunConfig } from '../config/run_config.ts';
import { readTree } from '../config/yaml/yaml_tree.ts';
import { RlvrError } from '../errors.ts';
import type { JsonObject } from './json.ts';
import type { Store } from './store/store.ts';

const FILE = 'config.yaml';

/** Its text; undefined where there is none. */
export async function recordedText(store: Store): Promise<string | undefined> {
  const bytes = await store.read(FILE);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Its keys as they are written, for pages that only show them; undefined where it is missing or damaged. */
export async function recordedTree(store: Store): Promise<JsonObject | undefined> {
  return whereReadable(await recordedText(store), (text) => {
    const { values, problems } = readTree(text, FILE);
    return problems.isEmpty ? (values as JsonObject) : undefined; // YAML is plain data
  });
}

/** The config itself; undefined where it is missing, damaged or of another version. */
export async function recordedConfig(store: Store, registries: Registries): Promise<RunConfig | undefined> {
  return whereReadable(await recordedText(store), (text) => parseConfig(text, { file: FILE, registries }).config);
}

function whereReadable<T>(text: string | undefined, read: (text: string) => T): T | undefined {
  if (text === undefined) return undefined;
  try {
    return read(text);
  } catch (error) {
    if (error instanceof RlvrError) return undefined;
    throw error;
  }
}
