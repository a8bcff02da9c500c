/** A row of a file, whatever kind of file it is of, and what reads one. */
import type { Json } from '../../options/json.ts';
import type { DataFiles } from './data_files.ts';

/** By column, what a row holds. */
export type Row = Readonly<Record<string, Json>>;

/** A row, or why there is none, with its number: that of the line in the file, or of the row in a table; from 1. */
export type RowReading =
  | { readonly line: number; readonly row: Row }
  /** `column`: the character of the line at which it cannot be read, from 1. */
  | { readonly line: number; readonly problem: string; readonly column?: number };

/** A file of rows. */
export interface RowFile {
  readonly files: DataFiles;
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Columns that are wanted; undefined: all. A table's others are not read. */
  readonly columns: readonly string[] | undefined;
}

/** A kind of file that rows are read from, beside JSON Lines. */
export interface RowFormat {
  /** The bytes that its files begin with, or what their names match where those do not tell. */
  readonly tells: readonly number[] | RegExp;
  /** @throws DataError where it is damaged */
  read(file: RowFile): AsyncIterable<readonly RowReading[]>;
}
