/** Rollouts and groups from data that `save_rollouts.ts` wrote. */
import type { TaskItem } from '../../../data/task.ts';
import type { Json } from '../../../options/json.ts';
import type { CreditedGroup, Rollout } from '../../records.ts';
import {
  type ArrayField,
  flagOf,
  GROUP_FIELDS,
  jsonOf,
  type KeptFor,
  type Numbers,
  ROLLOUT_ARRAYS,
  ROLLOUT_FIELDS,
  TENSORS_OF_ALL,
  TOKEN_CREDIT,
  type Values,
} from './rollout_fields.ts';
import type { GroupRecord, RolloutRecord, TensorNumbers } from './save_rollouts.ts';
import { type TurnRecord, turnsFlaw, turnsOver } from './turns.ts';

const ARRAYS = { int32: Int32Array, float32: Float32Array, uint8: Uint8Array } as const;

/** The numbers of a field; undefined: the rollout has none. */
type Source = (name: string, field: ArrayField) => Numbers | undefined;

function listsOf(record: Values): Source {
  return (name, { array }) => {
    const list = record[name] as readonly number[] | undefined;
    return list && ARRAYS[array].from(list);
  };
}

function rolloutOf(record: Values, keptFor: KeptFor, source: Source): Rollout {
  const arrays = ROLLOUT_ARRAYS[keptFor].flatMap(([name, field]) => {
    const numbers = source(name, field);
    return numbers === undefined ? [] : [[name, numbers] as const];
  });
  const plain = jsonOf(ROLLOUT_FIELDS, record, keptFor);
  const rollout = { ...plain, ...Object.fromEntries(arrays) } as unknown as Rollout; // every field that its record has
  const turns = record.turns as readonly TurnRecord[] | undefined;
  return turns === undefined ? rollout : { ...rollout, turns: turnsOver(rollout.tokens, turns).turns };
}

/** @param plain  what `toPlain` gave, or `requirePlain` has let pass */
export function fromPlain(plain: Json): Rollout {
  const record = plain as unknown as Values; // an object, by what the caller promises
  return rolloutOf(record, 'run', listsOf(record));
}

/** Where groups are loaded from. */
export interface GroupSources {
  /** A tensor by its name, of exactly `length` numbers. @throws where there is none such */
  tensor(name: string, length: number): ArrayLike<number>;
  prompt(item: TaskItem): Int32Array;
}

/** @param records  in the form of `groupRecordSchema` @throws what the sources throw */
export function loadGroups(records: readonly GroupRecord[], { tensor, prompt }: GroupSources): CreditedGroup[] {
  const cutters = new Map([...sizesOf(records)].map(([name, size]) => [name, cutter(name, tensor(name, size))]));
  const next = (name: string, length: number): TensorNumbers => (cutters.get(name) as Cutter)(length); // `sizesOf` has all
  return records.map((record): CreditedGroup => {
    const rollouts = record.rollouts.map((own) => {
      const lists = listsOf(own);
      return rolloutOf(own, 'batch', (name, field) => {
        if (field.saved === 'list') return lists(name, field);
        return hasTensor(own, name, field) ? next(name, own.length) : undefined;
      });
    });
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
  return TOKEN_CREDIT.filter((name) => perToken.includes(name));
}

function hasTensor(record: RolloutRecord, name: string, field: ArrayField): boolean {
  return field.optional === undefined || record[flagOf(name, field)] === true;
}

/** How many numbers each tensor has that some record has a part of; 0 where it is always there. */
function sizesOf(records: readonly GroupRecord[]): ReadonlyMap<string, number> {
  const tensors = ROLLOUT_ARRAYS.batch.filter(([, { saved }]) => saved === 'tensor');
  const sizes = new Map(TENSORS_OF_ALL.map((name) => [name, 0]));
  const add = (name: string, length: number): unknown => sizes.set(name, (sizes.get(name) ?? 0) + length);
  for (const record of records) {
    add('advantages', record.rollouts.length);
    for (const rollout of record.rollouts) {
      for (const [name, field] of tensors) if (hasTensor(rollout, name, field)) add(name, rollout.length);
      for (const name of creditOf(record)) add(name, rollout.length);
    }
  }
  return sizes;
}

/** Hands out consecutive parts of a tensor, as copies. */
type Cutter = (length: number) => TensorNumbers;

function cutter(name: string, data: ArrayLike<number>): Cutter {
  const all = name === 'tokens' ? Int32Array.from(data) : Float32Array.from(data);
  let end = 0;
  return (length) => {
    const begin = end;
    end += length;
    return all.slice(begin, end);
  };
}

/** What is wrong between the fields of a rollout, each of which has its form; undefined: nothing. */
export function rolloutFlaw(rollout: Rollout): string | undefined {
  const values = rollout as unknown as Values;
  const { length } = rollout.tokens;
  for (const [name, { per }] of ROLLOUT_ARRAYS.batch) {
    const own = (values[name] as Numbers | undefined)?.length ?? length;
    if (per === 'token' && own !== length) return `a rollout of ${length} tokens has ${own} ${name}`;
  }
  return turnsFlaw(rollout);
}
