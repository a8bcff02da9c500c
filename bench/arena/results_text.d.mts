import type { differenceOf } from '../../packages/compare/statistics.ts';
import type { ArenaFigures } from './figures.mts';
import type { ArenaRecord } from './records.mts';
import type { ArenaRow } from './rows.mts';

export function resultsText(
  found: readonly ArenaFigures[],
  context: {
    readonly blocks: Readonly<Record<string, { readonly does: string }>>;
    readonly count: number;
    readonly rates: (row: ArenaRow) => readonly { readonly rate: number; readonly record: ArenaRecord | undefined }[];
    readonly differenceOf: typeof differenceOf;
    readonly chance: (task: string, rows: number) => { readonly mean: number; readonly most: number } | undefined;
    readonly twins?: ReadonlyMap<ArenaRow, ArenaRow>;
  },
): string;
