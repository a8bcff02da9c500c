/** JSON Lines: a JSON object a line, in UTF-8, with or without a byte order mark and carriage returns; empty lines count for nothing. */
import type { Json } from '../../options/json.ts';
import { badFile } from './data_files.ts';
import { firstJsonFlaw } from './json_flaw.ts';
import type { Row, RowReading } from './row.ts';

/** Longest line, in bytes, so that a file without line breaks is not read into memory whole. */
const MOST_LINE_BYTES = 64 * 1024 ** 2;

/** Limit in a row, since a small packed file may hold any number. */
const MOST_EMPTY_LINES = 1_000_000;

/** The beginning of a file that is a single JSON list. */
const ARRAY = /^\s*\[/;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** @throws DataError if the file has no line, or a line that is too long */
export async function* readJsonLines(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<readonly RowReading[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const begun = new GrowingBytes();
  let line = 0;
  let lineCount = 0;
  let emptyLines = 0;
  const read = (bytes: Uint8Array, into: RowReading[]): void => {
    line++;
    if (line === 1 && ARRAY.test(String.fromCharCode(...withoutMark(bytes.subarray(0, 100))))) {
      throw badFile(
        path,
        `a JSON array, where each line is a row; make JSON Lines of it: jq -c '.[]' ${path} > rows.jsonl`,
      );
    }
    const reading = bytes.length === 0 ? undefined : readLine(line === 1 ? withoutMark(bytes) : bytes, line, decoder);
    emptyLines = reading === undefined ? emptyLines + 1 : 0;
    if (reading !== undefined) into.push(reading);
    if (emptyLines > MOST_EMPTY_LINES)
      throw badFile(path, `${MOST_EMPTY_LINES} empty lines in a row, up to line ${line}; remove them`);
  };
  for await (const piece of pieces) {
    const readings: RowReading[] = [];
    let begin = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, begin)) {
      read(begun.length === 0 ? piece.subarray(begin, end) : begun.takeWith(piece.subarray(begin, end)), readings);
      begin = end + 1;
    }
    begun.append(piece.subarray(begin));
    if (begun.length > MOST_LINE_BYTES) {
      throw badFile(path, `line ${line + 1} is longer than ${MOST_LINE_BYTES / 1024 ** 2} MiB; give a row a line`);
    }
    lineCount += readings.length;
    if (readings.length > 0) yield readings;
  }
  const last: RowReading[] = [];
  if (begun.length > 0) read(begun.takeWith(new Uint8Array(0)), last);
  if (last.length > 0) yield last;
  if (lineCount + last.length === 0) throw badFile(path, 'an empty file; give one with a row a line');
}

/** The beginning of a line that ends in a later piece; grows by doubling, since a packed file comes in small pieces. */
class GrowingBytes {
  length = 0;
  #bytes = new Uint8Array(2 ** 16);

  append(more: Uint8Array): void {
    const needed = this.length + more.length;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(more, this.length);
    this.length = needed;
  }

  /** All of it and the end of its line: good until the next `append`. */
  takeWith(end: Uint8Array): Uint8Array {
    this.append(end);
    const taken = this.#bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

/** Texts, and numbers beside them. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;

/** Whole numbers beyond 2^53 become texts, which keep their digits: the right answer 12345678901234567891 is no other. */
function parsed(text: string): Json {
  const value = JSON.parse(text) as Json;
  if (!/[0-9]{16}/.test(text)) return value;
  const isRounded = (token: string): boolean => /^-?[0-9]{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
  return JSON.parse(text.replaceAll(TEXT_OR_NUMBER, (token) => (isRounded(token) ? `"${token}"` : token))) as Json;
}

/** Undefined for an empty line. */
function readLine(bytes: Uint8Array, line: number, decoder: TextDecoder): RowReading | undefined {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { line, problem: 'holds bytes that are no UTF-8; save the file as UTF-8' };
  }
  if (/^[ \t\r]*$/.test(text)) return undefined;
  let value: Json;
  try {
    value = parsed(text);
  } catch {
    const { at, rule } = firstJsonFlaw(text);
    return { line, column: at + 1, problem: rule };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { line, row: value as Row };
  const description = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
  return { line, problem: `${description}, not an object; write {"prompt": …, "answer": …}` };
}
