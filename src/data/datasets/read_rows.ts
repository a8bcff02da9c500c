/**
 * The rows of a file, in batches: JSON Lines and CSV, plain or packed by gzip, and Parquet. What a file is, its first bytes say,
 * and of CSV its name. A row that cannot be read is given as a problem, so that the caller may pass over it.
 */
import { readCsv } from './csv.ts';
import { badFile, type DataFiles, piecesOf, rangeOf } from './data_files.ts';
import { unpacked } from './gzip.ts';
import { readJsonLines } from './json_lines.ts';
import type { RowReading } from './row.ts';

export type { Row, RowReading } from './row.ts';

export interface ReadRowsOptions {
  /** Columns that are wanted; undefined: all. A table's others are not read. */
  readonly columns?: readonly string[] | undefined;
}

const startsWith = (bytes: Uint8Array, magic: readonly number[]): boolean =>
  magic.every((byte, i) => bytes[i] === byte);
/** Files whose rows are separated cells. */
const CSV = /\.(csv|tsv)(\.gz)?$/i;
const GZIP = [0x1f, 0x8b];
const PARQUET = [0x50, 0x41, 0x52, 0x31]; // PAR1
const UTF_16 = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];

/** @throws DataError where there is no such file, or it is of no kind that is read */
export async function* readRows(
  files: DataFiles,
  path: string,
  { columns }: ReadRowsOptions = {},
): AsyncGenerator<readonly RowReading[]> {
  const size = await files.size(path);
  if (size === undefined) throw badFile(path, 'no such file; paths are relative to the config file');
  if (size === 0) throw badFile(path, 'an empty file; give one with a row a line');
  const head = await rangeOf(files, path, 0, Math.min(size, 4096));
  if (startsWith(head, PARQUET)) {
    const { readParquet } = await import('./parquet.ts');
    yield* readParquet(files, path, size, columns);
    return;
  }
  if (UTF_16.some((mark) => startsWith(head, mark))) throw badFile(path, 'written in UTF-16; save it as UTF-8');
  const isPacked = startsWith(head, GZIP);
  if (!isPacked && head.includes(0)) {
    throw badFile(
      path,
      'a binary file; rows are read from JSON Lines (.jsonl), CSV (.csv, .tsv), both also as .gz, and Parquet',
    );
  }
  const pieces = piecesOf(files, path, size);
  const read = CSV.test(path) ? readCsv : readJsonLines;
  yield* read(isPacked ? unpacked(pieces, path) : pieces, path);
}
