/**
 * Reads the rows of a file in batches. Its first bytes or its name decide the kind of file. An unreadable row is
 * returned as a problem, so that the caller may skip it.
 */
import { badFile, type DataFiles, piecesOf, rangeOf } from '../../../../src/data/data_files.ts';
import type { DatasetParts } from './dataset_parts.ts';
import { readJsonLines } from './json_lines.ts';
import type { RowFormat, RowReading } from './row.ts';

export interface ReadRowsOptions {
  /** Columns to read; undefined: all. Other columns of a table are not read. */
  readonly columns?: readonly string[] | undefined;
}

const startsWith = (bytes: Uint8Array, magic: readonly number[]): boolean =>
  magic.every((byte, i) => bytes[i] === byte);
const UTF_16 = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];

/** @throws DataError if there is no such file, or its kind is unknown */
export async function* readRows(
  files: DataFiles,
  path: string,
  { formats, kinds }: Pick<DatasetParts, 'formats' | 'kinds'>,
  { columns }: ReadRowsOptions = {},
): AsyncGenerator<readonly RowReading[]> {
  const size = await files.size(path);
  if (size === undefined) throw badFile(path, 'no such file; paths are relative to the config file');
  if (size === 0) throw badFile(path, 'an empty file; give one with a row a line');
  const head = await rangeOf(files, path, 0, Math.min(size, 4096));
  const isOne = ({ tells }: RowFormat): boolean =>
    tells instanceof RegExp ? tells.test(path) : startsWith(head, tells);
  const format = formats.find(isOne);
  if (format === undefined || format.tells instanceof RegExp) {
    if (UTF_16.some((mark) => startsWith(head, mark))) throw badFile(path, 'written in UTF-16; save it as UTF-8');
    const [text] = head.includes(0) ? [String.fromCharCode(...head.subarray(0, head.indexOf(0)))] : [];
    if (text !== undefined) {
      throw badFile(
        path,
        `a binary file, with a NUL byte in line ${text.split('\n').length}; rows are read from ${kinds}`,
      );
    }
  }
  yield* format?.read({ files, path, size, columns }) ?? readJsonLines(piecesOf(files, path, size), path);
}
