import type { differenceOf } from '../../packages/compare/statistics.ts';
import type { rngFor } from '../../src/kernels/philox.ts';
import type { ArenaFigures } from './figures.mts';

export interface Spreads {
  /** Standard deviation of runs of one start. */
  readonly runs: number;
  /** Standard error over problems of a difference. */
  readonly problems: number;
  readonly starts: number;
  /** Runs of the baseline from each start. */
  readonly perStart: number;
}
export function spreadsOf(
  found: readonly ArenaFigures[],
  weights: readonly number[],
  samples: number,
): Spreads | undefined;
export function rowsByChance(
  rows: number,
  spreads: Spreads,
  statistics: { readonly differenceOf: typeof differenceOf; readonly rngFor: typeof rngFor },
): { readonly mean: number; readonly most: number };
