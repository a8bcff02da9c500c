/** Reads whole lines of a log in pieces: a log may be larger than memory, and still be written. */
import { CheckpointError } from '../../src/errors.ts';
import { type JsonObject, parseJsonObject } from '../../src/run/json.ts';
import type { Store } from '../../src/run/store/store.ts';

const NEWLINE = 0x0a;
/** Bytes that are read at once. */
const PIECE_BYTES = 512 * 1024;
/** Longest line that is read; a longer one means that the file is no log. */
const LONGEST_LINE = 128 * PIECE_BYTES;

/** A record, and the bytes [begin, end) of its line. */
export interface LogLine {
  readonly record: JsonObject;
  readonly begin: number;
  readonly end: number;
}

/** Bytes of a file; `end` may exceed its length. */
export interface ByteRange {
  readonly begin: number;
  readonly end: number;
}

/**
 * The records of the whole lines in a range of the file, some at a time; none if there is no such file. A half-written
 * last line, of a killed run or one under way, is left out.
 *
 * @param range  begins with a line; default: the file as long as it is now
 * @throws CheckpointError `log-malformed` for a line that is no JSON object, with its number from the start of the
 * range
 */
export async function* logLines(store: Store, path: string, range?: ByteRange): AsyncGenerator<readonly LogLine[]> {
  const size = (await store.size(path)) ?? 0;
  const last = Math.min(size, range?.end ?? size);
  let begin = range?.begin ?? 0;
  let number = 0;
  for (let length = PIECE_BYTES; begin < last; ) {
    const bytes = (await store.readRange(path, begin, Math.min(begin + length, last))) ?? new Uint8Array(0);
    const lines: LogLine[] = [];
    let lineStart = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, lineStart)) {
      number++;
      const record = parseJsonObject(bytes.subarray(lineStart, at));
      if (record === undefined) throw malformed(path, number);
      lines.push({ record, begin: begin + lineStart, end: begin + at + 1 });
      lineStart = at + 1;
    }
    if (lines.length > 0) yield lines;
    if (begin + bytes.length >= last || bytes.length === 0) return;
    // A line longer than the piece is read again with more of it.
    length = lineStart === 0 ? 2 * length : PIECE_BYTES;
    if (length > LONGEST_LINE) throw malformed(path, number + 1);
    begin += lineStart;
  }
}

function malformed(path: string, number: number): CheckpointError {
  const message = `${path}:${number}  not a JSON object. Remove the line, or restore the file.`;
  return new CheckpointError('log-malformed', message, { path, line: number });
}
