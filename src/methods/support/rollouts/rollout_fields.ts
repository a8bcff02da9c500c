/**
 * The fields of rollouts and groups: what each is made of, and how long it lives. Checkpoints, replays, completions.jsonl and
 * what is dropped between credit and update are made of these two tables, and a field that lacks its line does not compile.
 */
import { z } from 'zod';
import type { CreditedGroup, Rollout } from '../../records.ts';

/**
 * step: until its group is credited · batch: until the last step on its batch, so in a checkpoint · run: wherever its rollout
 * goes, so in a replay too · log: in completions.jsonl besides.
 */
export const LIVES = ['step', 'batch', 'run', 'log'] as const;
export type Lives = (typeof LIVES)[number];

interface Arrays {
  readonly int32: Int32Array;
  readonly float32: Float32Array;
  readonly uint8: Uint8Array;
}

interface Entry<L extends Lives = Lives> {
  readonly lives: L;
  /** Some have it. */
  readonly optional?: true;
}

/** A typed array; in a checkpoint a part of a tensor, or a list of numbers. */
export interface ArrayField<Kind extends keyof Arrays = keyof Arrays, L extends Lives = Lives> extends Entry<L> {
  readonly array: Kind;
  /** token: one number per token of the rollout; own: of a length of its own; rollout: one per rollout of the group. */
  readonly per: 'token' | 'own' | 'rollout';
  readonly saved: 'tensor' | 'list';
  /** In the JSON beside a tensor that not all have: this rollout has a part of it. Default: its name. */
  readonly flag?: string;
}

/** [rollouts][tokens] real numbers; in a checkpoint a tensor. */
export interface ArraysField<L extends Lives = Lives> extends Entry<L> {
  readonly arrays: 'float32';
}

/** Plain JSON. */
export interface JsonField<L extends Lives = Lives> extends Entry<L> {
  readonly json: z.ZodType;
}

/** What is neither: it has a function of its own in the codec. */
export interface OwnField<L extends Lives = Lives> extends Entry<L> {
  readonly own: z.ZodType;
}

export type Field = ArrayField | ArraysField | JsonField | OwnField;

/** The kinds that a value may have; Optional: absent in some. */
type FieldOf<Value> = Value extends Int32Array
  ? ArrayField<'int32'>
  : Value extends Float32Array
    ? ArrayField<'float32'>
    : Value extends Uint8Array
      ? ArrayField<'uint8'>
      : Value extends readonly Float32Array[]
        ? ArraysField
        : JsonField | OwnField;

type IsOptional<Of, Name extends keyof Of> = Record<never, never> extends Pick<Of, Name> ? true : undefined;

/** A line for each field of a record. */
type FieldTable<Of> = {
  readonly [Name in keyof Of]-?: FieldOf<NonNullable<Of[Name]>> & { readonly optional?: IsOptional<Of, Name> };
};

const tensor = <const Kind extends 'int32' | 'float32', const L extends Lives>(array: Kind, lives: L) =>
  ({ array, per: 'token', saved: 'tensor', lives }) as const;
const list = <const Kind extends keyof Arrays, const L extends Lives>(array: Kind, per: 'token' | 'own', lives: L) =>
  ({ array, per, saved: 'list', lives }) as const;
const json = <const L extends Lives>(schema: z.ZodType, lives: L) => ({ json: schema, lives }) as const;
const optional = <F extends Field>(field: F) => ({ ...field, optional: true }) as const;

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
const turnSchema = z.object({ length: count, label: z.string(), text: z.string() });

export const ROLLOUT_FIELDS = {
  tokens: tensor('int32', 'run'),
  logprobs: tensor('float32', 'run'),
  entropies: tensor('float32', 'run'),
  keptLogMass: tensor('float32', 'run'),
  proximalLogprobs: { ...optional(tensor('float32', 'batch')), flag: 'hasProximal' },
  labels: optional(list('uint8', 'token', 'log')),
  prompt: optional(list('int32', 'own', 'log')),
  sampledUnder: optional(list('int32', 'own', 'log')),
  finishReason: json(z.enum(['eos', 'length', 'stop']), 'log'),
  text: json(z.string(), 'log'),
  turns: optional({ own: z.array(turnSchema).min(1), lives: 'log' }),
  verdict: json(verdictSchema, 'log'),
  steps: optional(json(z.array(stepSchema), 'run')),
  rewardParts: json(givenSchema.shape.rewardParts, 'run'),
  reward: json(givenSchema.shape.reward, 'log'),
  given: optional(json(givenSchema, 'log')),
  origin: optional(json(z.string(), 'log')),
  age: optional(json(count, 'log')),
  weightsVersion: optional(json(count, 'run')),
  isOffPolicy: optional(json(z.literal(true), 'run')),
  inBaseline: optional(json(z.literal(false), 'run')),
  inLoss: optional(json(z.literal(false), 'run')),
  tokenRewards: optional(tensor('float32', 'step')),
  figures: optional({ own: z.unknown(), lives: 'step' }),
} as const satisfies FieldTable<Rollout>;

export const GROUP_FIELDS = {
  item: json(itemSchema, 'log'),
  /** A checkpoint has none: it is that of the item. */
  prompt: list('int32', 'own', 'run'),
  dead: json(z.boolean(), 'batch'),
  ruledOut: optional(json(z.literal(true), 'batch')),
  greedyReward: optional(json(number.nullable(), 'batch')),
  kind: optional(json(z.string(), 'batch')),
  rollouts: { own: z.array(z.unknown()), lives: 'log' },
  advantages: { array: 'float32', per: 'rollout', saved: 'tensor', lives: 'log' },
  tokenAdvantages: optional({ arrays: 'float32', lives: 'batch' }),
  tokenWeights: optional({ arrays: 'float32', lives: 'batch' }),
  tokenSelection: optional({ arrays: 'float32', lives: 'batch' }),
} as const satisfies FieldTable<CreditedGroup>;

type NamesThatLive<Table, L extends Lives> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly lives: L } ? Name : never;
}[keyof Table];

/** Fields of a rollout that completions.jsonl shows. */
export type LoggedField = NamesThatLive<typeof ROLLOUT_FIELDS, 'log'>;

/** Whether a field is still there where those of another life are. */
export function livesAsLongAs({ lives }: Pick<Field, 'lives'>, least: Lives): boolean {
  return LIVES.indexOf(lives) >= LIVES.indexOf(least);
}
