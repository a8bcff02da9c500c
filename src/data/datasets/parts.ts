/** What data sets are read with: given to whatever opens one, as what a config may name is. */
import { COMPARISONS, type MakeReader } from './answers.ts';
import type { RowFormat } from './row.ts';

export interface DatasetParts {
  /** Kinds of files beside JSON Lines; those that show in their bytes come first. */
  readonly formats: readonly RowFormat[];
  /** All kinds of files, in words. */
  readonly kinds: string;
  /** Comparisons by the word that `verify` has for them. */
  readonly comparisons: Readonly<Record<string, MakeReader>>;
}

/** JSON Lines, whose answers are texts and numbers. */
export const PLAIN_ROWS: DatasetParts = { formats: [], kinds: 'JSON Lines (.jsonl)', comparisons: COMPARISONS };
