/** The config that a run was started with, as its directory has it: every default is written there. */
import { parseConfig } from '../config/load.ts';
import type { Registries } from '../config/registries.ts';
import type { RunConfig } from '../config/run_config.ts';
import { parseYaml } from '../config/yaml/yaml_document.ts';
import { isMapping } from '../config/yaml/yaml_tree.ts';
import { RlvrError } from '../errors.ts';
import type { JsonObject } from './json.ts';
import type { Store } from './store/store.ts';

const FILE = 'config.yaml';

/** Its text; undefined where there is none. */
export async function recordedText(store: Store): Promise<string | undefined> {
  const bytes = await store.read(FILE);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

/** Its keys as they are written, for who only shows them; undefined where there is none, or it is damaged. */
export async function recordedTree(store: Store): Promise<JsonObject | undefined> {
  const text = await recordedText(store);
  const parsed = text === undefined ? undefined : parseYaml(text);
  if (parsed === undefined || 'mistake' in parsed) return undefined;
  const tree: unknown = parsed.document.toJS();
  return isMapping(tree) ? (tree as JsonObject) : undefined; // YAML is plain data
}

/** The config itself; undefined where it is missing, damaged or of another version. */
export async function recordedConfig(store: Store, registries: Registries): Promise<RunConfig | undefined> {
  const text = await recordedText(store);
  if (text === undefined) return undefined;
  try {
    return parseConfig(text, { file: FILE, registries }).config;
  } catch (error) {
    if (error instanceof RlvrError) return undefined;
    throw error;
  }
}
