/** The schema of a whole file, for editors and documentation; made of the same tables that validate and type it. */

import { z } from 'zod';
import type { Json } from '../options/json.ts';
import type { KeyTable } from '../options/keys.ts';
import { MODEL_KEYS } from './model_config.ts';
import { RUN_KEYS } from './run_keys.ts';
import { STAGE_KEYS } from './stage_config.ts';

function shapeOf(table: KeyTable): Record<string, z.ZodType> {
  return Object.fromEntries(Object.values(table).map(({ yaml, schema }) => [yaml, schema]));
}

const sft = z.strictObject({ stage: z.literal('sft'), ...shapeOf(STAGE_KEYS.sft) });
const grpo = z.strictObject({ stage: z.literal('grpo'), ...shapeOf(STAGE_KEYS.grpo) });

const file = z.strictObject({
  ...shapeOf(RUN_KEYS),
  model: z.strictObject(shapeOf(MODEL_KEYS)).optional().describe("The model's shape, in the spelling of config.json."),
  stages: z
    .array(z.discriminatedUnion('stage', [sft, grpo]))
    .min(1)
    .optional()
    .describe('Stages in the order they run; each inherits the top-level keys. Default: one grpo stage.'),
  ...shapeOf(STAGE_KEYS.grpo),
});

/**
 * JSON Schema of a configuration file, with the description and default of every key; draft 7, which every editor
 * reads. Rules that combine keys are not in it: `parseConfig` holds those.
 */
export function configJsonSchema(): Json {
  // Options of plug-ins are any plain data, which JSON Schema says as {}.
  return z.toJSONSchema(file, { target: 'draft-7', io: 'input', unrepresentable: 'any' }) as Json;
}
