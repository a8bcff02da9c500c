/**
 * Rollouts and groups as data that can be kept, and back, field by field as `rollout_fields.ts` says.
 *
 *   checkpoint  groups of a batch: JSON, and one tensor for each field that has a number per token, of all that have it
 *   plain       a rollout as JSON alone, which a method keeps from step to step: a float32 comes back from JSON as it was
 */
import { z } from 'zod';
import type { TaskItem } from '../../../data/task.ts';
import type { Json } from '../../../options/json.ts';
import type { CreditedGroup, Rollout } from '../../records.ts';
import {
  type ArrayField,
  type Field,
  GROUP_FIELDS,
  type Lives,
  livesAsLongAs,
  ROLLOUT_FIELDS,
} from './rollout_fields.ts';
import { type TurnRecord, turnsFlaw, turnsOver } from './turns.ts';

type Numbers = Int32Array | Float32Array | Uint8Array;
/** What a tensor of a checkpoint holds. */
export type TensorNumbers = Int32Array | Float32Array;
type Values = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Field>>;

const ARRAYS = { int32: Int32Array, float32: Float32Array, uint8: Uint8Array } as const;

/** A rollout in the JSON of a checkpoint. */
export interface RolloutRecord {
  /** Tokens. */
  readonly length: number;
  readonly turns?: readonly TurnRecord[];
  readonly [field: string]: unknown;
}

/** A group in the JSON of a checkpoint. */
export interface GroupRecord {
  readonly item: TaskItem;
  readonly rollouts: readonly RolloutRecord[];
  /** Which credit it has per token. */
  readonly perToken?: readonly string[];
  readonly [field: string]: unknown;
}

/** Fields of a table that live at least so long, and are arrays. */
function arraysOf(fields: Fields, least: Lives): (readonly [name: string, field: ArrayField])[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    'array' in field && livesAsLongAs(field, least) ? [[name, field] as const] : [],
  );
}

const ROLLOUT_ARRAYS = arraysOf(ROLLOUT_FIELDS, 'batch');
const TENSOR_ARRAYS = ROLLOUT_ARRAYS.filter(([, { saved }]) => saved === 'tensor');
const CREDIT = Object.entries(GROUP_FIELDS).flatMap(([name, field]) => ('arrays' in field ? [name] : []));

/** Names of the tensors, in the order in which they are written; only those that every rollout has are always there. */
const ALWAYS = [...TENSOR_ARRAYS.flatMap(([name, { optional }]) => (optional ? [] : [name])), 'advantages'];
const TENSORS = [...ALWAYS, ...CREDIT, ...TENSOR_ARRAYS.flatMap(([name, { optional }]) => (optional ? [name] : []))];

/** The plain fields of a record that live so long, as they are. */
function jsonOf(fields: Fields, record: object, least: Lives): Values {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => {
      const field = fields[name];
      return value !== undefined && field !== undefined && 'json' in field && livesAsLongAs(field, least);
    }),
  );
}

function turnRecords({ turns }: Rollout): { readonly turns?: readonly TurnRecord[] } {
  return turns === undefined
    ? {}
    : { turns: turns.map(({ tokens, label, text }) => ({ length: tokens.length, label, text })) };
}

/** Groups as JSON, and tensors by name. */
export function saveGroups(groups: readonly CreditedGroup[]): {
  readonly records: readonly GroupRecord[];
  readonly tensors: ReadonlyMap<string, TensorNumbers>;
} {
  const parts = new Map<string, TensorNumbers[]>(TENSORS.map((name) => [name, []]));
  const records = groups.map((group): GroupRecord => {
    const values = group as unknown as Values; // by the names of its table
    const perToken = CREDIT.filter((name) => values[name] !== undefined);
    for (const name of perToken) parts.get(name)?.push(...(values[name] as readonly Float32Array[]));
    parts.get('advantages')?.push(group.advantages);
    return {
      item: group.item,
      ...jsonOf(GROUP_FIELDS, group, 'batch'),
      rollouts: group.rollouts.map((rollout) => saveRollout(rollout, (name, part) => parts.get(name)?.push(part))),
      ...(perToken.length > 0 && { perToken }),
    };
  });
  const kept = [...parts].filter(([name, own]) => own.length > 0 || ALWAYS.includes(name));
  return { records, tensors: new Map(kept.map(([name, own]) => [name, joined(own)])) };
}

function saveRollout(rollout: Rollout, put: (tensor: string, part: TensorNumbers) => void): RolloutRecord {
  const values = rollout as unknown as Values; // by the names of its table
  const record: Record<string, unknown> = { ...jsonOf(ROLLOUT_FIELDS, rollout, 'batch'), ...turnRecords(rollout) };
  record.length = rollout.tokens.length;
  for (const [name, field] of ROLLOUT_ARRAYS) {
    const value = values[name] as TensorNumbers | undefined;
    if (value === undefined) continue;
    if (field.saved === 'list') record[name] = [...value];
    else put(name, value);
    if (field.saved === 'tensor' && field.optional) record[flagOf(name, field)] = true;
  }
  return record as unknown as RolloutRecord; // its length is set above
}

function joined(parts: readonly TensorNumbers[]): TensorNumbers {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const data = parts[0] instanceof Int32Array ? new Int32Array(length) : new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  return data;
}

/** Where groups are loaded from. */
export interface GroupSources {
  /** A tensor by its name, of exactly `length` numbers. @throws where there is none such */
  tensor(name: string, length: number): ArrayLike<number>;
  prompt(item: TaskItem): Int32Array;
}

/** @param records  in the form of `groupRecordSchema` @throws what the sources throw */
export function loadGroups(records: readonly GroupRecord[], { tensor, prompt }: GroupSources): CreditedGroup[] {
  const cutters = new Map([...sizesOf(records)].map(([name, size]) => [name, cutterOf(name, tensor(name, size))]));
  const next = (name: string, length: number): TensorNumbers =>
    (cutters.get(name) as Cutter<TensorNumbers>).next(length); // `sizesOf` names all that a record has
  return records.map((record): CreditedGroup => {
    const rollouts = record.rollouts.map((own) => loadRollout(own, (name) => next(name, own.length)));
    const credit = creditOf(record).map((name) => [name, record.rollouts.map(({ length }) => next(name, length))]);
    return {
      ...(jsonOf(GROUP_FIELDS, record, 'batch') as Pick<CreditedGroup, 'item' | 'dead'>), // in the schema's form
      prompt: prompt(record.item),
      rollouts,
      advantages: next('advantages', rollouts.length) as Float32Array,
      ...Object.fromEntries(credit),
    };
  });
}

function creditOf({ perToken = [] }: GroupRecord): readonly string[] {
  return CREDIT.filter((name) => perToken.includes(name));
}

/** What says in its JSON that a rollout has a part of a tensor that not all have. */
function flagOf(name: string, { flag = name }: ArrayField): string {
  return flag;
}

function hasTensor(record: RolloutRecord, name: string, field: ArrayField): boolean {
  return field.optional === undefined || record[flagOf(name, field)] === true;
}

/** How many numbers each tensor has that some record has a part of. */
function sizesOf(records: readonly GroupRecord[]): ReadonlyMap<string, number> {
  const sizes = new Map(ALWAYS.map((name) => [name, 0]));
  const add = (name: string, length: number): unknown => sizes.set(name, (sizes.get(name) ?? 0) + length);
  for (const record of records) {
    add('advantages', record.rollouts.length);
    for (const rollout of record.rollouts) {
      for (const [name, field] of TENSOR_ARRAYS) if (hasTensor(rollout, name, field)) add(name, rollout.length);
      for (const name of creditOf(record)) add(name, rollout.length);
    }
  }
  return sizes;
}

function loadRollout(record: RolloutRecord, next: (tensor: string) => TensorNumbers): Rollout {
  const arrays = ROLLOUT_ARRAYS.flatMap(([name, field]): [string, Numbers][] => {
    if (field.saved === 'tensor') return hasTensor(record, name, field) ? [[name, next(name)]] : [];
    const list = record[name] as readonly number[] | undefined;
    return list === undefined ? [] : [[name, ARRAYS[field.array].from(list)]];
  });
  return assembled(jsonOf(ROLLOUT_FIELDS, record, 'batch'), arrays, record.turns);
}

function assembled(
  json: Values,
  arrays: readonly (readonly [string, Numbers])[],
  turns: readonly TurnRecord[] | undefined,
): Rollout {
  const rollout = { ...json, ...Object.fromEntries(arrays) } as unknown as Rollout; // every field that its record has
  return turns === undefined ? rollout : { ...rollout, turns: turnsOver(rollout.tokens, turns).turns };
}

function cutterOf(name: string, data: ArrayLike<number>): Cutter<TensorNumbers> {
  const field: Field | undefined = (ROLLOUT_FIELDS as Fields)[name];
  const isWhole = field !== undefined && 'array' in field && field.array === 'int32';
  return new Cutter<TensorNumbers>(isWhole ? Int32Array.from(data) : Float32Array.from(data));
}

/** Hands out consecutive parts of an array, as copies. */
class Cutter<A extends TensorNumbers> {
  readonly #all: A;
  #at = 0;

  constructor(all: A) {
    this.#all = all;
  }

  next(length: number): A {
    const begin = this.#at;
    this.#at += length;
    return this.#all.slice(begin, this.#at) as A; // slice keeps the kind of array
  }
}

/** A rollout as a method keeps it from step to step: nothing that is known for a step or a batch alone. */
export function toPlain(rollout: Rollout): Json {
  const values = rollout as unknown as Values; // by the names of its table
  const arrays = arraysOf(ROLLOUT_FIELDS, 'run').flatMap(([name]) => {
    const value = values[name] as Numbers | undefined;
    return value === undefined ? [] : [[name, [...value]] as const];
  });
  const plain = { ...jsonOf(ROLLOUT_FIELDS, rollout, 'run'), ...turnRecords(rollout), ...Object.fromEntries(arrays) };
  return plain as unknown as Json; // lists, and what is plain in the rollout too
}

/** @param plain  what `toPlain` gave, or `requirePlain` has let pass */
export function fromPlain(plain: Json): Rollout {
  const values = plain as unknown as Values; // an object, by what the caller promises
  const arrays = arraysOf(ROLLOUT_FIELDS, 'run').flatMap(([name, { array }]): [string, Numbers][] => {
    const list = values[name] as readonly number[] | undefined;
    return list === undefined ? [] : [[name, ARRAYS[array].from(list)]];
  });
  return assembled(jsonOf(ROLLOUT_FIELDS, values, 'run'), arrays, values.turns as readonly TurnRecord[] | undefined);
}

/** @throws TypeError where it is not what `toPlain` gives */
export function requirePlain(plain: Json): void {
  const issue = plainSchema.safeParse(plain).error?.issues[0];
  if (issue !== undefined) throw new TypeError(`a rollout of another form: ${issue.path.join('.')}: ${issue.message}`);
  const flaw = rolloutFlaw(fromPlain(plain));
  if (flaw !== undefined) throw new TypeError(`a rollout of another form: ${flaw}`);
}

/** What is wrong between the fields of a rollout, each of which has its form; undefined: nothing. */
export function rolloutFlaw(rollout: Rollout): string | undefined {
  const values = rollout as unknown as Values; // by the names of its table
  const { length } = rollout.tokens;
  for (const [name, { per }] of ROLLOUT_ARRAYS) {
    const own = (values[name] as Numbers | undefined)?.length ?? length;
    if (per === 'token' && own !== length) return `a rollout of ${length} tokens has ${own} ${name}`;
  }
  return turnsFlaw(rollout);
}

/** The rollout without what is known until it is credited alone. */
export function withoutFiguresOfStep(rollout: Rollout): Rollout {
  const fields: Fields = ROLLOUT_FIELDS;
  const kept = Object.entries(rollout).filter(
    ([name]) => fields[name] === undefined || livesAsLongAs(fields[name], 'batch'),
  );
  return Object.fromEntries(kept) as unknown as Rollout; // what is left out is optional
}

const count = z.int().nonnegative();
const NUMBERS = {
  int32: z.int().min(0).max(0x7f_ff_ff_ff),
  uint8: z.int().min(0).max(0xff),
  float32: z.number(),
} as const;

/** The form of a field where it lives so long: of its own JSON, or of a list where it is one. */
function formsOf(fields: Fields, least: Lives, isList: (field: ArrayField) => boolean): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      if (!livesAsLongAs(field, least)) return [];
      const form = 'json' in field ? field.json : 'own' in field ? field.own : undefined;
      const list = 'array' in field && isList(field) ? z.array(NUMBERS[field.array]) : undefined;
      const schema = form ?? list;
      return schema === undefined ? [] : [[name, field.optional ? schema.optional() : schema]];
    }),
  );
}

const flags = TENSOR_ARRAYS.flatMap(([name, field]) =>
  field.optional ? [[flagOf(name, field), z.literal(true).optional()]] : [],
);

/** The form of a rollout in the JSON of a checkpoint. Fields beyond those here pass. */
export const rolloutRecordSchema = z.object({
  length: count,
  ...Object.fromEntries(flags),
  ...formsOf(ROLLOUT_FIELDS, 'batch', ({ saved }) => saved === 'list'),
});

const WHOLE = { path: ['turns'], error: 'turns of other lengths than their completion' };

function haveLength(turns: unknown, length: number): boolean {
  const all = turns as readonly TurnRecord[] | undefined; // in the form of its field
  return all === undefined || all.reduce((sum, turn) => sum + turn.length, 0) === length;
}

/** The form of a group there. @param rollout  that of its rollouts */
export const groupRecordSchema = (rollout: z.ZodType) =>
  z.object({
    ...formsOf(GROUP_FIELDS, 'batch', () => false),
    rollouts: z.array(
      rollout.refine((one) => haveLength((one as Values).turns, Number((one as Values).length)), WHOLE),
    ),
    perToken: z.array(z.enum(CREDIT)).optional(),
  });

const plainSchema = z
  .object(formsOf(ROLLOUT_FIELDS, 'run', () => true))
  .refine(({ turns, tokens }) => haveLength(turns, (tokens as readonly number[]).length), WHOLE);
