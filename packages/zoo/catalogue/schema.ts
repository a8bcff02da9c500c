/** The schema of a whole file, for editors and documentation; made of the same tables that validate and type it. */
import { z } from 'zod';
import { choosingKeys } from '../../../src/config/keys/method_keys.ts';
import { RUN_KEYS } from '../../../src/config/keys/run_keys.ts';
import { MIXTURE } from '../../../src/config/mixture.ts';
import { MODEL_KEYS } from '../../../src/config/model_config.ts';
import { STAGE_KEYS } from '../../../src/config/stage_config.ts';
import type { Json } from '../../../src/options/json.ts';
import type { Key, KeyTable } from '../../../src/options/keys.ts';
import { zodOf } from '../../../src/options/schemas.ts';
import { datasetCard } from '../data/datasets/card.ts';
import { PAIRS_FROM, STAGE_FORMS } from '../elsewhere/stage_forms.ts';
import { preference } from '../methods/objectives/preference.ts';
import { textWithDefault } from '../options/describe.ts';
import { ZOO } from '../registries.ts';

function shapeOf(table: KeyTable): Record<string, z.ZodType> {
  return Object.fromEntries(Object.values(table).map((key) => [key.yaml, withSchedule(key)]));
}

/** What the key takes, a schedule included. */
function withSchedule({ schema: declared, schedule }: Key): z.ZodType {
  const schema = zodOf(declared);
  if (schedule === undefined) return schema;
  const { data: fallback } = schema.safeParse(undefined);
  return z
    .union([schema, zodOf(schedule)])
    .optional()
    .meta({ description: schema.description ?? '', ...(fallback !== undefined && { default: fallback }) });
}

/** A file of the user's own, whose options only it knows. */
const fileName = z.string().regex(/\.(ts|mts|js|mjs)$/);
const anything = z.unknown();

const STYLE = 'compact: a terse prompt. plain: an English question, whose answer is in <answer> tags. Default compact.';

const SYSTEM = 'System message before each question, for a pretrained model. Default: none.';
const EXAMPLES = 'Problems shown with their answer before each question, for a pretrained model. Default 2.';

const registeredCards = Object.values(ZOO.tasks.loaded).flatMap((task) => ('load' in task ? [task.card] : []));
const GRPO_STAGE_KEYS = { ...STAGE_KEYS.grpo, ...choosingKeys(ZOO.methods.names) };

/** The tasks by name, each with its knobs; `share` says what a list of tasks has beside them. */
function tasksWith(share: z.ZodRawShape): z.ZodType {
  const named = registeredCards.map((card) =>
    z
      .strictObject({
        name: z.literal(card.name),
        ...share,
        level: z
          .int()
          .min(0)
          .max(card.levels.length - 1)
          .optional()
          .describe('Preset of the knobs, easiest first; single knobs override it.'),
        style: z.enum(['compact', 'plain']).optional().describe(STYLE),
        system: z.string().optional().describe(SYSTEM),
        examples: z.int().min(0).max(32).optional().describe(EXAMPLES),
        ...shapeOf(card.knobs),
      })
      .describe(card.does),
  );
  const names = z.enum(registeredCards.map(({ name }) => name) as [string, ...string[]]);
  const dataset = z
    .strictObject({
      name: z.literal(datasetCard.name),
      ...share,
      system: z.string().optional().describe(SYSTEM),
      examples: z.int().min(0).max(32).optional().describe(EXAMPLES),
      ...shapeOf(datasetCard.knobs),
    })
    .describe('Questions from files.');
  return z.union([names, fileName, ...named, dataset, z.object({ name: fileName, ...share }).catchall(anything)]);
}

/** The rewards by name, each with its options; a page or a program may have named others. */
function rewardEntries(): z.ZodType {
  const weight = z.number().min(0).optional().describe('Weight in the sum of the rewards. Default 1.');
  const named = Object.entries(ZOO.rewards.loaded).map(([name, { does, options }]) =>
    z.strictObject({ name: z.literal(name), weight, ...shapeOf(options) }).describe(does),
  );
  const isOther = z.string().regex(new RegExp(`^(?!(${Object.keys(ZOO.rewards.loaded).join('|')})$)`));
  return z.union([z.string(), ...named, z.object({ name: isOther, weight }).catchall(anything)]);
}

const weight = z
  .number()
  .gt(0)
  .optional()
  .describe('How often its problems are drawn, relative to the others. Default 1.');
/** A part names its task by `task`; its knobs are known to that alone. */
const mixture = z
  .strictObject({
    name: z.literal(MIXTURE),
    parts: z.array(z.union([z.string(), z.object({ task: z.string(), weight }).catchall(anything)])).min(2),
  })
  .describe('Several tasks in one, each drawn as often as its weight says.');
const runShape = {
  ...shapeOf(RUN_KEYS),
  task: z
    .union([tasksWith({}), mixture])
    .optional()
    .describe(RUN_KEYS.task.schema.description ?? ''),
  tasks: z
    .array(tasksWith({ weight }))
    .min(1)
    .optional()
    .describe(RUN_KEYS.tasks.schema.description ?? ''),
};
const rewards = {
  reward_funcs: z
    .union([z.string(), z.array(rewardEntries()).min(1)])
    .default(['accuracy'])
    .describe(STAGE_KEYS.grpo.rewardFunctions.schema.description ?? ''),
};

const sft = z.strictObject({ stage: z.literal('sft'), ...shapeOf(STAGE_KEYS.sft) });
const grpo = z.strictObject({ stage: z.literal('grpo'), ...shapeOf(GRPO_STAGE_KEYS), ...rewards });
const preferences = z.strictObject({
  stage: z.enum(Object.keys(STAGE_FORMS)),
  ...shapeOf(GRPO_STAGE_KEYS),
  ...rewards,
  ...shapeOf(preference.options),
  pairs_from: z
    .enum(PAIRS_FROM)
    .default('rows')
    .describe('rows: pairs of a file; samples: right and wrong samples of a group. Default rows.'),
});

const file = z.strictObject({
  ...runShape,
  model: z.strictObject(shapeOf(MODEL_KEYS)).optional().describe("The model's shape, in the spelling of config.json."),
  stages: z
    .array(z.discriminatedUnion('stage', [sft, grpo, preferences]))
    .min(1)
    .optional()
    .describe('Stages in the order they run; each inherits the top-level keys. Default: one grpo stage.'),
  ...shapeOf(GRPO_STAGE_KEYS),
  ...rewards,
});

const given = (name: string): Json => ({ type: 'object', properties: { [name]: {} }, required: [name] });

/**
 * JSON Schema of a configuration file, with the description and default of every key, every task with its knobs and
 * every reward with its options; draft 7, which every editor reads. Rules that combine keys are not in it, except that
 * a file has `task`, `tasks` or `data_files`: `parseConfig` holds those.
 */
export function configJsonSchema(): Json {
  // Options of plug-ins are any plain data, which JSON Schema says as {}.
  const schema = z.toJSONSchema(file, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const { description, default: fallback } = jsonSchema;
      if (description) jsonSchema.description = textWithDefault(description, fallback as Json | undefined);
    },
  }) as object;
  return { ...schema, oneOf: [given('task'), given('tasks'), given('data_files')] };
}
