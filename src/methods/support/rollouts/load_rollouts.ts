/** Rollouts and groups from data that `save_rollouts.ts` wrote. */
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
import type { GroupRecord, TensorNumbers } from './save_rollouts.ts';
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

/** @param plain  from `toPlain`, or checked by `requirePlain` */
export function fromPlain(plain: Json): Rollout {
  const record = plain as unknown as Values; // an object, by what the caller promises
  return rolloutOf(record, 'run', listsOf(record));
}

/** @param plain  from `groupToPlain`, or checked by `requirePlainGroup` */
export function groupFromPlain(plain: Json): RolloutGroup {
  const record = plain as unknown as Values & { readonly rollouts: readonly Json[] }; // by what the caller promises
  const source = listsOf(record);
  const lists = GROUP_LISTS.map(([name, field]) => [name, source(name, field)]);
  return {
    ...(jsonOf(GROUP_FIELDS, record, 'run') as Pick<RolloutGroup, 'item' | 'dead'>),
    ...(Object.fromEntries(lists) as Pick<RolloutGroup, 'prompt'>),
    rollouts: record.rollouts.map(fromPlain),
  };
}

/** Sources of groups. */
export interface GroupSources {
  /** A tensor by its name. @throws where there is none such */
  tensor(name: string): ArrayLike<number>;
  /** Called at the end with the count of numbers that the rollouts used. @throws if the tensor has another length */
  requireLength(name: string, length: number): void;
  prompt(item: TaskItem): Int32Array;
}

/** @param records  in the form of `groupRecordSchema` @throws what the sources throw */
export function loadGroups(
  records: readonly GroupRecord[],
  { tensor, requireLength, prompt }: GroupSources,
): CreditedGroup[] {
  const cutters = new Map<string, Cutter>();
  const next = (name: string, length: number): TensorNumbers => {
    const cutter = cutters.get(name) ?? new Cutter(name, tensor(name));
    cutters.set(name, cutter);
    return cutter.next(length);
  };
  const groups = records.map((record): CreditedGroup => {
    const rollouts = record.rollouts.map((rolloutRecord) => {
      const lists = listsOf(rolloutRecord);
      return rolloutOf(rolloutRecord, 'batch', (name, field) => {
        if (field.saved === 'list') return lists(name, field);
        const isThere = field.optional === undefined || rolloutRecord[flagOf(name, field)] === true;
        return isThere ? next(name, rolloutRecord.length) : undefined;
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
  for (const [name, { taken }] of cutters) requireLength(name, taken);
  return groups;
}

function creditOf({ perToken = [] }: GroupRecord): readonly string[] {
  return TOKEN_CREDIT.filter((name) => perToken.includes(name));
}

/** Hands out consecutive parts of a tensor, as copies. */
class Cutter {
  readonly #all: TensorNumbers;
  taken = 0;

  constructor(name: string, data: ArrayLike<number>) {
    this.#all = name === 'tokens' ? Int32Array.from(data) : Float32Array.from(data);
  }

  next(length: number): TensorNumbers {
    const begin = this.taken;
    this.taken += length;
    return this.#all.slice(begin, this.taken);
  }
}

/** An inconsistency between well-formed fields of a rollout; undefined: none. */
export function rolloutFlaw(rollout: Rollout): string | undefined {
  const values = rollout as unknown as Values;
  const { length } = rollout.tokens;
  for (const [name, { per }] of ROLLOUT_ARRAYS.batch) {
    const fieldLength = (values[name] as Numbers | undefined)?.length ?? length;
    if (per === 'token' && fieldLength !== length) return `a rollout of ${length} tokens has ${fieldLength} ${name}`;
  }
  return turnsFlaw(rollout);
}
