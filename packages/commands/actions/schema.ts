/** `rlvr-train schema`: the JSON Schema of a config. */

import { printJson } from '../../../src/cli/display/output.ts';
import { configJsonSchema } from '../../zoo/catalogue/schema.ts';

export function schemaCommand(): void {
  printJson(JSON.stringify(configJsonSchema(), null, 2));
}
