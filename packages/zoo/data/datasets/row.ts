/** A row of a file of any kind, and what reads one. */

import type { DataFiles } from '../../../../src/data/data_files.ts';
import type { Json } from '../../../../src/options/json.ts';

/** A row by column. */
export type Row = Readonly<Record<string, Json>>;

export interface ReadRow {
  readonly row: Row;
  /** Cells with a number that JavaScript writes otherwise, such as 27.10: each such number as the text of the file. */
  readonly written?: Row;
}

/** A row, or why there is none, with the number of the line, or of the row in a table, from 1. */
export type RowReading =
  | ({ readonly line: number } & ReadRow)
  /** `column`: the character of the line at which it cannot be read, from 1. */
  | { readonly line: number; readonly problem: string; readonly column?: number };

/** A file of rows. */
export interface RowFile {
  readonly files: DataFiles;
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Columns to read; undefined: all. Other columns of a table are not read. */
  readonly columns: readonly string[] | undefined;
}

/** A kind of file other than JSON Lines that rows are read from. */
export interface RowFormat {
  /** The first bytes of its files, or, without such bytes, a pattern of their names. */
  readonly tells: readonly number[] | RegExp;
  /** @throws DataError where it is damaged */
  read(file: RowFile): AsyncIterable<readonly RowReading[]>;
}
