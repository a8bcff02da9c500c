/** Files that rows are read from in pieces; a run's `Store` fits, too. */
import { DataError } from '../errors.ts';

/** The task whose problems are rows of files. */
export const DATASET = 'dataset';

/** Files by path, read in parts: folders of a disk, a run's store, or files given to a page. */
export interface DataFiles {
  /** In bytes; undefined where there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** Bytes [begin, end) of a file, fewer where it ends before. */
  readRange(path: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Most bytes of a file that are read at once. */
const PIECE_BYTES = 1024 ** 2;

/** Yields a whole file. @throws DataError if it ends before `size` */
export async function* piecesOf(files: DataFiles, path: string, size: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let begin = 0; begin < size; begin += PIECE_BYTES) {
    yield await rangeOf(files, path, begin, Math.min(begin + PIECE_BYTES, size));
  }
}

/** All bytes [begin, end). @throws DataError if the file became shorter */
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

/** The error for a file that gives no rows. */
export function badFile(path: string, rule: string): DataError {
  return new DataError('bad-data-file', `${path}: ${rule}.`, { file: path });
}

/** @param bytes  no UTF-8 @param first  line of the first of them @returns the error for a text file in another encoding */
export function badEncoding(path: string, bytes: Uint8Array, first = 1): DataError {
  let line = first;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    try {
      decoder.decode(bytes.subarray(begin, end));
    } catch {
      break;
    }
    [begin, line] = [end + 1, line + 1];
  }
  const remedy = 'save it as UTF-8; from Windows: iconv -f WINDOWS-1252 -t UTF-8';
  return badFile(`${path}:${line}`, `holds bytes that are no UTF-8; ${remedy}`);
}

const NEWLINE = 0x0a;
