/** `rlvr-train schema`: the JSON Schema of a config. */
import { configJsonSchema } from '../../catalogue/schema.ts';
import { printJson } from '../display/output.ts';

export function schemaCommand(): void {
  printJson(JSON.stringify(configJsonSchema(), null, 2));
}
