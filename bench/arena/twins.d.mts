import type { ArenaRow } from './rows.mts';

export function twinsOf(
  rows: readonly ArenaRow[],
  trained: (row: ArenaRow) => unknown,
): ReadonlyMap<ArenaRow, ArenaRow>;

export function twinWords(row: Pick<ArenaRow, 'block' | 'id'>, other: Pick<ArenaRow, 'block' | 'id'>): string;
