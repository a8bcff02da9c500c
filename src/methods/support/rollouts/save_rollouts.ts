/**
 * Rollouts and groups as data that can be kept, field by field as `rollout_fields.ts` says.
 *
 *   checkpoint  groups of a batch: JSON, and one tensor for each field that has a number per token, of all that have it
 *   plain       a rollout or a group as JSON alone, which a method keeps from step to step: a float32 comes back as it was
 */
import type { TaskItem } from '../../../data/task.ts';
import type { Json } from '../../../options/json.ts';
import type { CreditedGroup, Rollout, RolloutGroup } from '../../records.ts';
import {
  type ArrayField,
  flagOf,
  GROUP_FIELDS,
  GROUP_LISTS,
  jsonOf,
  type KeptFor,
  type Numbers,
  ROLLOUT_ARRAYS,
  ROLLOUT_FIELDS,
  TOKEN_CREDIT,
  type Values,
} from './rollout_fields.ts';
import type { TurnRecord } from './turns.ts';

/** The data of a checkpoint's tensor. */
export type TensorNumbers = Int32Array | Float32Array;

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
  /** Its fields of credit per token. */
  readonly perToken?: readonly string[];
  readonly [field: string]: unknown;
}

/** Stores the numbers of a field, and returns its representation in the record. */
type Sink = (name: string, field: ArrayField, numbers: Numbers) => Values;

const asList: Sink = (name, _, numbers) => ({ [name]: [...numbers] });

function recordOf(rollout: Rollout, keptFor: KeptFor, sink: Sink): Values {
  const values = rollout as unknown as Values;
  const arrays = ROLLOUT_ARRAYS[keptFor].map(([name, field]) => {
    const numbers = values[name] as Numbers | undefined;
    return numbers === undefined ? {} : sink(name, field, numbers);
  });
  return Object.assign({}, jsonOf(ROLLOUT_FIELDS, rollout, keptFor), turnRecords(rollout), ...arrays);
}

function turnRecords({ turns }: Rollout): { readonly turns?: readonly TurnRecord[] } {
  if (turns === undefined) return {};
  return { turns: turns.map(({ tokens, before: _, after: __, ...said }) => ({ length: tokens.length, ...said })) };
}

/** A rollout as a method keeps it from step to step, without fields that each batch computes again. */
export function toPlain(rollout: Rollout): Json {
  return recordOf(rollout, 'run', asList) as unknown as Json; // lists, and what is plain in the rollout too
}

/** A group as a method keeps it: all fields before credit. */
export function groupToPlain(group: RolloutGroup): Readonly<Record<string, Json>> {
  const values = group as unknown as Values;
  const lists = GROUP_LISTS.map(([name, field]) => asList(name, field, values[name] as Numbers));
  const rollouts = group.rollouts.map(toPlain);
  return Object.assign({}, jsonOf(GROUP_FIELDS, group, 'run'), ...lists, { rollouts });
}

/** The tensors that always exist, in writing order; optional ones follow. */
const TENSORS_OF_ALL = [
  ...ROLLOUT_ARRAYS.batch.flatMap(([name, { saved, optional }]) => (saved === 'tensor' && !optional ? [name] : [])),
  'advantages',
];

/** Groups as JSON, and tensors by name. */
export function saveGroups(groups: readonly CreditedGroup[]): {
  readonly records: readonly GroupRecord[];
  readonly tensors: ReadonlyMap<string, TensorNumbers>;
} {
  const parts = new Map<string, TensorNumbers[]>([...TENSORS_OF_ALL, ...TOKEN_CREDIT].map((name) => [name, []]));
  const put = (name: string, part: TensorNumbers): void => {
    const chunks = parts.get(name) ?? [];
    chunks.push(part);
    parts.set(name, chunks);
  };
  const toTensor: Sink = (name, field, numbers) => {
    if (field.saved === 'list') return asList(name, field, numbers);
    put(name, numbers as TensorNumbers); // no tensor of bytes
    if (name === 'tokens') return { length: numbers.length };
    return field.optional ? { [flagOf(name, field)]: true } : {};
  };
  const records = groups.map((group): GroupRecord => {
    const values = group as unknown as Values;
    const perToken = TOKEN_CREDIT.filter((name) => values[name] !== undefined);
    for (const name of perToken) for (const part of values[name] as readonly Float32Array[]) put(name, part);
    put('advantages', group.advantages);
    return {
      item: group.item,
      ...jsonOf(GROUP_FIELDS, group, 'batch'),
      rollouts: group.rollouts.map((rollout) => recordOf(rollout, 'batch', toTensor) as unknown as RolloutRecord),
      ...(perToken.length > 0 && { perToken }),
    };
  });
  const kept = [...parts].filter(([name, own]) => own.length > 0 || TENSORS_OF_ALL.includes(name));
  return { records, tensors: new Map(kept.map(([name, own]) => [name, joined(own)])) };
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
