/**
 * The fields of rollouts and groups: type and lifetime of each. Checkpoints, replays, completions.jsonl, and dropping
 * fields between credit and update follow these two tables; a field without a line does not compile.
 *
 *   save_rollouts.ts   rollouts and groups as data that can be kept
 *   load_rollouts.ts   and back
 *   rollout_forms.ts   what such data must look like
 */
import type { CreditedGroup, Rollout, RolloutGroup } from '../../records.ts';

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
  /** It is read during credit, so a replay, which is credited again, has it too. */
  readonly credited?: true;
  /** Only some have it. */
  readonly optional?: true;
}

/** A typed array; in a checkpoint a part of a tensor, or a list of numbers. */
export interface ArrayField<Kind extends keyof Arrays = keyof Arrays, L extends Lives = Lives> extends Entry<L> {
  readonly array: Kind;
  /** token: one number per token of the rollout; own: of a length of its own; rollout: one per rollout of the group. */
  readonly per: 'token' | 'own' | 'rollout';
  readonly saved: 'tensor' | 'list';
  /** JSON flag of a rollout that has a part of an optional tensor. Default: its name. */
  readonly flag?: string;
}

/** [rollouts][tokens] real numbers; in a checkpoint a tensor. */
export interface ArraysField<L extends Lives = Lives> extends Entry<L> {
  readonly arrays: 'float32';
}

/** Plain JSON, which has a form in `rollout_forms.ts`. */
export interface JsonField<L extends Lives = Lives> extends Entry<L> {
  readonly json: true;
}

/** A field of any other type, with its own functions wherever it is kept. */
export interface OwnField<L extends Lives = Lives> extends Entry<L> {
  readonly own: true;
}

export type Field = ArrayField | ArraysField | JsonField | OwnField;
export type Fields = Readonly<Record<string, Field>>;

/** The field types for a value; Optional: absent in some. */
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

/** Fields that a group has before credit stay with the group, since credit depends on them. */
type GroupTable = FieldTable<CreditedGroup> & {
  readonly [Name in keyof RolloutGroup]-?: Entry<'run' | 'log'> & { readonly saved?: 'list' };
};

const tensor = <const Kind extends 'int32' | 'float32', const L extends Lives>(array: Kind, lives: L) =>
  ({ array, per: 'token', saved: 'tensor', lives }) as const;
const list = <const Kind extends keyof Arrays, const L extends Lives>(array: Kind, per: 'token' | 'own', lives: L) =>
  ({ array, per, saved: 'list', lives }) as const;
const json = <const L extends Lives>(lives: L) => ({ json: true, lives }) as const;
const own = <const L extends Lives>(lives: L) => ({ own: true, lives }) as const;
const optional = <F extends Field>(field: F) => ({ ...field, optional: true }) as const;

export const ROLLOUT_FIELDS = {
  tokens: tensor('int32', 'run'),
  logprobs: tensor('float32', 'run'),
  entropies: tensor('float32', 'run'),
  keptLogMass: tensor('float32', 'run'),
  proximalLogprobs: { ...optional(tensor('float32', 'batch')), flag: 'hasProximal' },
  values: { ...optional(tensor('float32', 'batch')), flag: 'hasValues' },
  returns: { ...optional(tensor('float32', 'batch')), flag: 'hasReturns' },
  labels: optional(list('uint8', 'token', 'log')),
  support: optional(list('uint8', 'own', 'run')),
  prompt: optional(list('int32', 'own', 'log')),
  sampledUnder: optional(list('int32', 'own', 'log')),
  finishReason: json('log'),
  text: json('log'),
  turns: optional(own('log')),
  verdict: json('log'),
  steps: optional(json('run')),
  rewardParts: json('run'),
  reward: json('log'),
  given: optional(json('log')),
  extra: optional(json('log')),
  origin: optional(json('log')),
  age: optional(json('log')),
  weightsVersion: optional(json('run')),
  isOffPolicy: optional(json('run')),
  inBaseline: optional(json('run')),
  inLoss: optional(json('run')),
  tokenRewards: { ...optional(tensor('float32', 'step')), credited: true },
  figures: optional(own('step')),
} as const satisfies FieldTable<Rollout>;

export const GROUP_FIELDS = {
  item: json('log'),
  /** A checkpoint lacks it, since the item has it. */
  prompt: list('int32', 'own', 'run'),
  dead: json('run'),
  ruledOut: optional(json('run')),
  greedyReward: optional(json('run')),
  kind: optional(json('run')),
  rollouts: own('log'),
  advantages: { array: 'float32', per: 'rollout', saved: 'tensor', lives: 'log' },
  tokenAdvantages: optional({ arrays: 'float32', lives: 'batch' }),
  tokenWeights: optional({ arrays: 'float32', lives: 'batch' }),
  tokenSelection: optional({ arrays: 'float32', lives: 'batch' }),
} as const satisfies GroupTable;

type NamesThatLive<Table, L extends Lives> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly lives: L } ? Name : never;
}[keyof Table];

/** Fields of a rollout that completions.jsonl shows. */
export type LoggedField = NamesThatLive<typeof ROLLOUT_FIELDS, 'log'>;

/** Whether a field lives at least as long as `least`. */
export function livesAsLongAs({ lives }: Pick<Field, 'lives'>, least: Lives): boolean {
  return LIVES.indexOf(lives) >= LIVES.indexOf(least);
}

/** The values of a record, by field name. */
export type Values = Readonly<Record<string, unknown>>;
export type Numbers = Arrays[keyof Arrays];

/** Lifetimes of kept records: a checkpoint's batch, or the run for methods. */
export type KeptFor = 'batch' | 'run';

/** Whether a field is kept that long. */
export function isKept({ lives, credited }: Field, keptFor: KeptFor): boolean {
  return livesAsLongAs({ lives }, keptFor) || (credited === true && keptFor === 'run');
}

function arraysOf(keptFor: KeptFor): (readonly [name: string, field: ArrayField])[] {
  return Object.entries<Field>(ROLLOUT_FIELDS).flatMap(([name, field]) =>
    'array' in field && isKept(field, keptFor) ? [[name, field] as const] : [],
  );
}

/** The lists of numbers of a group. */
export const GROUP_LISTS = Object.entries<Field>(GROUP_FIELDS).flatMap(([name, field]) =>
  'array' in field && field.saved === 'list' ? [[name, field] as const] : [],
);

/** The arrays of a rollout by minimum lifetime. */
export const ROLLOUT_ARRAYS = { batch: arraysOf('batch'), run: arraysOf('run') } as const;

/** The fields of a group's credit per token. */
export const TOKEN_CREDIT = Object.entries(GROUP_FIELDS).flatMap(([name, field]) => ('arrays' in field ? [name] : []));

/** The JSON flag of a rollout with a part of an optional tensor. */
export function flagOf(name: string, { flag = name }: ArrayField): string {
  return flag;
}

/** The plain fields of a record that live at least that long. */
export function jsonOf(fields: Fields, record: object, least: Lives): Values {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => {
      const field = fields[name];
      return value !== undefined && field !== undefined && 'json' in field && livesAsLongAs(field, least);
    }),
  );
}

/** The rollout without fields that live only until credit. */
export function withoutFiguresOfStep(rollout: Rollout): Rollout {
  const fields: Fields = ROLLOUT_FIELDS;
  const kept = Object.entries(rollout).filter(
    ([name]) => fields[name] === undefined || livesAsLongAs(fields[name], 'batch'),
  );
  const { turns, ...rest } = Object.fromEntries(kept) as unknown as Rollout; // what is left out is optional
  if (turns === undefined) return rest;
  return { ...rest, turns: turns.map(({ before: _, after: __, ...turn }) => turn) };
}
