/**
 * The fields of rollouts and groups: what each is made of, and how long it lives. Checkpoints, replays, completions.jsonl and
 * what is dropped between credit and update are made of these two tables, and a field that lacks its line does not compile.
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
  /** It is read when its group is credited: a replay, which is credited once more, has it too. */
  readonly credited?: true;
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

/** Plain JSON, which has a form in `rollout_forms.ts`. */
export interface JsonField<L extends Lives = Lives> extends Entry<L> {
  readonly json: true;
}

/** What is neither: it has functions of its own wherever it is kept. */
export interface OwnField<L extends Lives = Lives> extends Entry<L> {
  readonly own: true;
}

export type Field = ArrayField | ArraysField | JsonField | OwnField;
export type Fields = Readonly<Record<string, Field>>;

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

/** What a group has before it is credited goes wherever the group goes: without it, it would be credited otherwise. */
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
  /** A checkpoint has none: it is that of the item. */
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

/** Whether a field is still there where those of another life are. */
export function livesAsLongAs({ lives }: Pick<Field, 'lives'>, least: Lives): boolean {
  return LIVES.indexOf(lives) >= LIVES.indexOf(least);
}

/** What can be read of a record by the names of its table. */
export type Values = Readonly<Record<string, unknown>>;
export type Numbers = Arrays[keyof Arrays];

/** How long that lives which is kept: a checkpoint ends with its batch, a method keeps for the run. */
export type KeptFor = 'batch' | 'run';

/** Whether a field is kept for so long. */
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

/** The arrays of a rollout that live at least so long. */
export const ROLLOUT_ARRAYS = { batch: arraysOf('batch'), run: arraysOf('run') } as const;

/** Which credit a group may have per token. */
export const TOKEN_CREDIT = Object.entries(GROUP_FIELDS).flatMap(([name, field]) => ('arrays' in field ? [name] : []));

/** What says in the JSON of a rollout that it has a part of a tensor that not all have. */
export function flagOf(name: string, { flag = name }: ArrayField): string {
  return flag;
}

/** The plain fields of a record that live so long, as they are. */
export function jsonOf(fields: Fields, record: object, least: Lives): Values {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => {
      const field = fields[name];
      return value !== undefined && field !== undefined && 'json' in field && livesAsLongAs(field, least);
    }),
  );
}

/** The rollout without what is known until it is credited alone. */
export function withoutFiguresOfStep(rollout: Rollout): Rollout {
  const fields: Fields = ROLLOUT_FIELDS;
  const kept = Object.entries(rollout).filter(
    ([name]) => fields[name] === undefined || livesAsLongAs(fields[name], 'batch'),
  );
  const { turns, ...rest } = Object.fromEntries(kept) as unknown as Rollout; // what is left out is optional
  if (turns === undefined) return rest;
  return { ...rest, turns: turns.map(({ before: _, after: __, ...turn }) => turn) };
}
