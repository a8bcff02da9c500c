/** `rlvr-train schema`, and the line by which an editor finds the schema of a config. */
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configJsonSchema } from '../config/schema.ts';
import { printJson } from './output.ts';

/** Where the build puts what `rlvr-train schema` prints. */
const SCHEMA_FILE = fileURLToPath(new URL('../config.schema.json', import.meta.url));

/** The first line of a shipped config, as the YAML language server reads it. */
const SCHEMA_LINE = /^# yaml-language-server: \$schema=\S+$/m;

export function schemaCommand(): void {
  printJson(JSON.stringify(configJsonSchema(), null, 2));
}

/** A shipped config as it must read in another folder: the path of its schema begins there. */
export function relinkSchema(yaml: string, folder: string): string {
  const path = relative(folder, SCHEMA_FILE).split(sep).join('/');
  return yaml.replace(SCHEMA_LINE, () => `# yaml-language-server: $schema=${path}`);
}
