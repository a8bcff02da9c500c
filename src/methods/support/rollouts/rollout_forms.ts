/** Schemas of rollouts and groups as data, checked before use. */
import { z } from 'zod';
import type { Json } from '../../../options/json.ts';
import { fromPlain, rolloutFlaw } from './load_rollouts.ts';
import {
  type ArrayField,
  type Fields,
  flagOf,
  GROUP_FIELDS,
  isKept,
  type KeptFor,
  ROLLOUT_ARRAYS,
  ROLLOUT_FIELDS,
  TOKEN_CREDIT,
  type Values,
} from './rollout_fields.ts';
import type { TurnRecord } from './turns.ts';

const count = z.int().nonnegative();
const number = z.number();

/** A step of a solution, by characters or by tokens. */
const stepSchema = z.object({ from: count, to: count, score: number });

export const verdictSchema = z.object({
  score: number.nullable(),
  status: z.enum(['correct', 'incorrect', 'invalid', 'truncated']),
  failure: z.string().optional(),
  reason: z.string(),
  canonical: z.string().optional(),
  parts: z.record(z.string(), number).optional(),
  feedback: z.string().optional(),
  steps: z.array(stepSchema).optional(),
});

const itemSchema = z.object({
  id: z.string().optional(),
  key: z.string().optional(),
  split: z.enum(['train', 'eval']).optional(),
  prompt: z.string(),
  answer: z.string().optional(),
  weight: number.optional(),
  task: z.string().optional(),
});

const givenSchema = z.object({ rewardParts: z.array(number.nullable()), reward: number.nullable() });

type Forms = Readonly<Record<string, z.ZodType>>;

/** A schema for each plain JSON field of a table. */
type FormTable<Table> = {
  readonly [Name in keyof Table as Table[Name] extends { readonly json: true } ? Name : never]: z.ZodType;
};

const ROLLOUT_FORMS: FormTable<typeof ROLLOUT_FIELDS> = {
  finishReason: z.enum(['eos', 'length', 'stop']),
  text: z.string(),
  verdict: verdictSchema,
  steps: z.array(stepSchema),
  ...givenSchema.shape,
  given: givenSchema,
  extra: z.record(z.string(), z.union([z.string(), number, z.boolean(), z.null()])),
  origin: z.string(),
  age: count,
  weightsVersion: count,
  isOffPolicy: z.literal(true),
  inBaseline: z.literal(false),
  inLoss: z.literal(false),
};

const GROUP_FORMS: FormTable<typeof GROUP_FIELDS> = {
  item: itemSchema,
  dead: z.boolean(),
  ruledOut: z.literal(true),
  greedyReward: number.nullable(),
  kind: z.string(),
};

const NUMBERS = {
  int32: z.int().min(0).max(0x7f_ff_ff_ff),
  uint8: z.int().min(0).max(0xff),
  float32: number,
} as const;

/** The schemas of fields with that lifetime: plain JSON, and lists. */
function formsOf(fields: Fields, forms: Forms, keptFor: KeptFor, isList: (field: ArrayField) => boolean): Forms {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      if (!isKept(field, keptFor)) return [];
      const isOwnList = 'array' in field && isList(field);
      const form: z.ZodType | undefined = isOwnList ? z.array(NUMBERS[field.array]) : forms[name];
      return form === undefined ? [] : [[name, field.optional ? form.optional() : form]];
    }),
  );
}

const turns = z
  .array(
    z.object({
      length: count,
      label: z.string(),
      text: z.string(),
      reward: number.optional(),
      potential: number.optional(),
      illegal: z.literal(true).optional(),
      denied: z.literal(true).optional(),
    }),
  )
  .min(1)
  .optional();
const WHOLE = { path: ['turns'], error: 'turns of other lengths than their completion' };

function haveLength(turnList: unknown, length: unknown): boolean {
  const all = turnList as readonly TurnRecord[] | undefined; // in the form of `turns`
  return all === undefined || all.reduce((sum, turn) => sum + turn.length, 0) === length;
}

const flags = ROLLOUT_ARRAYS.batch.flatMap(([name, field]) =>
  field.saved === 'tensor' && field.optional ? [[flagOf(name, field), z.literal(true).optional()]] : [],
);

/** The schema of a rollout in a checkpoint's JSON. Unknown fields pass. */
export const rolloutRecordSchema = z.object({
  length: count,
  ...Object.fromEntries(flags),
  turns,
  ...formsOf(ROLLOUT_FIELDS, ROLLOUT_FORMS, 'batch', ({ saved }) => saved === 'list'),
});

/** The schema of a group there. @param rollout  schema of its rollouts */
export const groupRecordSchema = (rollout: z.ZodType) =>
  z.object({
    ...formsOf(GROUP_FIELDS, GROUP_FORMS, 'batch', () => false),
    rollouts: z.array(
      rollout.refine((record) => haveLength((record as Values).turns, (record as Values).length), WHOLE),
    ),
    perToken: z.array(z.enum(TOKEN_CREDIT)).optional(),
  });

const plainSchema = z
  .object({ turns, ...formsOf(ROLLOUT_FIELDS, ROLLOUT_FORMS, 'run', () => true) })
  .refine((plain) => haveLength(plain.turns, ((plain as Values).tokens as readonly number[]).length), WHOLE);

const plainGroupSchema = z.object({
  ...formsOf(GROUP_FIELDS, GROUP_FORMS, 'run', ({ saved }) => saved === 'list'),
  rollouts: z.array(z.unknown()),
});

/** @throws TypeError unless it has the form of `groupToPlain` */
export function requirePlainGroup(plain: Json): void {
  const { data, error } = plainGroupSchema.safeParse(plain);
  if (data === undefined) throw otherForm('group', error?.issues[0]);
  for (const rollout of data.rollouts) requirePlain(rollout as Json);
}

function otherForm(expected: string, issue: z.core.$ZodIssue | undefined): TypeError {
  return new TypeError(`a ${expected} of another form: ${issue?.path.join('.')}: ${issue?.message}`);
}

/** @throws TypeError unless it has the form of `toPlain` */
export function requirePlain(plain: Json): void {
  const issue = plainSchema.safeParse(plain).error?.issues[0];
  if (issue !== undefined) throw otherForm('rollout', issue);
  const flaw = rolloutFlaw(fromPlain(plain));
  if (flaw !== undefined) throw new TypeError(`a rollout of another form: ${flaw}`);
}
