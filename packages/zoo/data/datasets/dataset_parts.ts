/** The readers of data sets, given to whatever opens one, like the lists of names. */
import { COMPARISONS, type MakeReader } from './answers.ts';
import type { RowFormat } from './row.ts';

export interface DatasetParts {
  /** Kinds of files beside JSON Lines; those that show in their bytes come first. */
  readonly formats: readonly RowFormat[];
  /** All kinds of files, for messages. */
  readonly kinds: string;
  /** Comparisons by the word that `verify` has for them. */
  readonly comparisons: Readonly<Record<string, MakeReader>>;
}

/** JSON Lines with answers that are texts and numbers. */
export const PLAIN_ROWS: DatasetParts = { formats: [], kinds: 'JSON Lines (.jsonl)', comparisons: COMPARISONS };
