import type { differenceOf, Tested } from '../../packages/compare/statistics.ts';
import type { ArenaHead, ArenaRecord } from './records.mts';
import type { ArenaRow } from './rows.mts';

export const JUDGED: string;
export const REACH: string;
export interface ArenaDifference extends Tested {
  readonly best: Tested & { readonly rate: number };
}
export interface ArenaFigures {
  readonly row: ArenaRow;
  readonly runs: readonly { readonly index: number; readonly record: ArenaRecord }[];
  /** [seeds] of each figure; absent without runs. */
  readonly figures: Readonly<Record<string, readonly number[]>>;
  /** By figure, to the baseline, and to the baseline at the rate that is best by that figure. */
  readonly differences?: Readonly<Record<string, ArenaDifference>>;
  /** By figure, after Holm. */
  readonly corrected?: Readonly<Record<string, number>>;
}
export function arenaFigures(
  rows: readonly ArenaRow[],
  records: {
    readonly recordOf: (row: ArenaRow, index: number, rate: number) => ArenaRecord | undefined;
    readonly headOf: (row: ArenaRow) => ArenaHead;
  },
  statistics: {
    readonly differenceOf: typeof differenceOf;
    readonly holm: (chances: readonly number[]) => number[];
    readonly passAtK: (samples: number, right: number, k: number) => number;
  },
  count: number,
): ArenaFigures[];
export function chanceOf(difference: ArenaDifference): number;
export function isControl(row: ArenaRow): boolean;
export function meanOf(values: readonly number[]): number;
