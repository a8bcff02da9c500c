/** Files that rows are read from, in pieces, wherever they lie; a run's `Store` is one, too. */
import { DataError } from '../../errors.ts';

/** Files by their paths, of which parts are read: folders of a disk, a run's store, files that a page was given. */
export interface DataFiles {
  /** In bytes; undefined where there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** Bytes [begin, end) of a file, fewer where it ends before. */
  readRange(path: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Most bytes of a file that are read at once. */
const PIECE_BYTES = 1024 ** 2;

/** A file from its first byte to its last. @throws DataError where it ends before its size says */
export async function* piecesOf(files: DataFiles, path: string, size: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let begin = 0; begin < size; begin += PIECE_BYTES) {
    yield await rangeOf(files, path, begin, Math.min(begin + PIECE_BYTES, size));
  }
}

/** Bytes [begin, end), all of them. @throws DataError where the file became shorter */
export async function rangeOf(
  files: DataFiles,
  path: string,
  begin: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await files.readRange(path, begin, end);
  if (bytes?.length === end - begin) return bytes;
  throw new DataError('file-changed', `${path}: became shorter while it was read; try again.`, { file: path });
}

/** A whole file that gives no rows. */
export function badFile(path: string, rule: string): DataError {
  return new DataError('bad-data-file', `${path}: ${rule}.`, { file: path });
}
