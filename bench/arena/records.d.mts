import type { KeptRecords } from '../../src/run/logs/problem_records.ts';
import type { ArenaRow, ArenaRun } from './rows.mts';

export interface ArenaHead {
  readonly problems: string;
  readonly samples: number;
  readonly weights: readonly number[];
}
export interface ArenaRecord {
  /** By four problems a hexadecimal digit of whether the greedy answers are right. */
  readonly greedy: string;
  readonly right: string;
  /** Absent where no wrong answer has a normal form. */
  readonly vote?: string;
  /** What the start solves. */
  readonly before: { readonly greedy: number; readonly sampled: number };
  readonly sampled: number;
  /** Sampled in all. */
  readonly tokens: number;
  readonly wallSeconds: number;
  /** Of the code that trained it, or, of a record without one, that added it here. */
  readonly commit: string | null;
  readonly curve: readonly (readonly [tokens: number, solved: number, seconds: number])[];
}
/** A file that could not be written; what it had before is still there. */
export class NotWritten extends Error {}
/** Replaces a file whole, or leaves it as it was. */
export function writeWhole(path: string, text: string): void;
export class Records {
  constructor(folder: string);
  of(run: ArenaRun): ArenaRecord | undefined;
  head(row: ArenaRow): ArenaHead;
  add(run: ArenaRun, record: ArenaRecord & { readonly head: ArenaHead }): void;
}
export function compactRecord(run: {
  readonly records: KeptRecords;
  readonly summary: object;
  readonly metrics: readonly object[];
  readonly majorityAt: (samples: KeptRecords['problems'][number]['samples'], k: number) => number;
  readonly machine: string;
  readonly commit: string | null;
}): ArenaRecord & { readonly head: ArenaHead };
