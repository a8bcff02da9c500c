/** A row of a file, whatever kind of file it is of. */
import type { Json } from '../../options/json.ts';

/** By column, what a row holds. */
export type Row = Readonly<Record<string, Json>>;

/** A row, or why there is none, with its number: that of the line in the file, or of the row in a table; from 1. */
export type RowReading =
  | { readonly line: number; readonly row: Row }
  /** `column`: the character of the line at which it cannot be read, from 1. */
  | { readonly line: number; readonly problem: string; readonly column?: number };
