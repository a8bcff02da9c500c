import type { Bootstrap, Tested } from '../../src/compare/statistics.ts';
import type { ArenaHead, ArenaRecord } from './records.mts';
import type { ArenaRow } from './rows.mts';

export const JUDGED: string;
export interface ArenaFigures {
  readonly row: ArenaRow;
  readonly runs: readonly { readonly index: number; readonly record: ArenaRecord }[];
  /** [seeds] of each figure; absent without runs. */
  readonly figures: Readonly<Record<string, readonly number[]>>;
  readonly differences?: Readonly<Record<string, Tested>>;
  readonly corrected?: number;
}
export function arenaFigures(
  rows: readonly ArenaRow[],
  records: {
    readonly recordOf: (row: ArenaRow, index: number, rate: number) => ArenaRecord | undefined;
    readonly headOf: (row: ArenaRow) => ArenaHead;
  },
  statistics: {
    readonly Bootstrap: typeof Bootstrap;
    readonly holm: (chances: readonly number[]) => number[];
    readonly passAtK: (samples: number, right: number, k: number) => number;
  },
  count: number,
): ArenaFigures[];
export function meanOf(values: readonly number[]): number;
