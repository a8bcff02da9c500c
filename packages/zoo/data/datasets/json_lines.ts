/**
 * JSON Lines: a JSON object a line, in UTF-8, with or without a byte order mark and carriage returns; empty lines count for
 * nothing. A file that is a single JSON value, over as many lines as it likes, is read whole.
 */

import { badEncoding, badFile } from '../../../../src/data/data_files.ts';
import type { Json } from '../../../../src/options/json.ts';
import { firstJsonFlaw } from './json_flaw.ts';
import { type ParsedJson, parseJson } from './parsed_json.ts';
import type { Row, RowReading } from './row.ts';
import { rowsWithin } from './rows_within.ts';

/** Longest line, in bytes, so that a file without line breaks is not read into memory whole. */
const MOST_LINE_BYTES = 64 * 1024 ** 2;

/** Longest file of a single value. */
const MOST_VALUE_BYTES = 256 * 1024 ** 2;

/** Limit in a row, since a small packed file may hold any number. */
const MOST_EMPTY_LINES = 1_000_000;

/** The beginning of a file that is a single JSON list. */
const LIST = /^\s*\[/;
/** The beginning and the end of a first line with which an object begins that has further lines. */
const OBJECT = /^\s*\{/;
const GOES_ON = /[{[,]\s*$/;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** @throws DataError if the file has no line, a line that is too long, or is a single value that cannot be read */
export async function* readJsonLines(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<readonly RowReading[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const begun = new GrowingBytes();
  let line = 0;
  let rows = 0;
  let emptyLines = 0;
  let isOneValue: boolean | undefined;
  /** A single object may be a table, which shows at the end of the file. */
  let held: RowReading[] = [];
  const read = (bytes: Uint8Array): void => {
    line++;
    const reading = bytes.length === 0 ? undefined : readLine(line === 1 ? withoutMark(bytes) : bytes, line, decoder);
    emptyLines = reading === undefined ? emptyLines + 1 : 0;
    if (reading !== undefined) held.push(reading);
    if (emptyLines > MOST_EMPTY_LINES)
      throw badFile(path, `${MOST_EMPTY_LINES} empty lines in a row, up to line ${line}; remove them`);
  };
  for await (const piece of pieces) {
    isOneValue ??= beginsValue(piece);
    let begin = 0;
    for (let end = piece.indexOf(NEWLINE); !isOneValue && end >= 0; end = piece.indexOf(NEWLINE, begin)) {
      read(begun.length === 0 ? piece.subarray(begin, end) : begun.takeWith(piece.subarray(begin, end)));
      begin = end + 1;
    }
    begun.append(piece.subarray(begin));
    const most = isOneValue ? MOST_VALUE_BYTES : MOST_LINE_BYTES;
    if (begun.length > most) {
      const what = isOneValue ? 'a single JSON value' : `line ${line + 1} is`;
      throw badFile(path, `${what} longer than ${most / 1024 ** 2} MiB; give a row a line`);
    }
    if (rows + held.length < 2) continue;
    rows += held.length;
    if (held.length > 0) yield held;
    held = [];
  }
  if (isOneValue) {
    yield rowsOfValue(begun.takeWith(new Uint8Array(0)), path, decoder);
    return;
  }
  if (begun.length > 0) read(begun.takeWith(new Uint8Array(0)));
  const [only] = held;
  if (only === undefined && rows === 0) throw badFile(path, 'an empty file; give one with a row a line');
  const table = rows === 0 && held.length === 1 && 'row' in only ? tableOf(only.row, only.written) : undefined;
  yield table ?? held;
}

/** Whether a file is a single value: a list, or an object over several lines. */
function beginsValue(piece: Uint8Array): boolean {
  const [end, textOf] = [piece.indexOf(NEWLINE), (bytes: Uint8Array) => String.fromCharCode(...withoutMark(bytes))];
  const head = textOf(piece.subarray(0, 100));
  return (
    LIST.test(head) ||
    (OBJECT.test(head) && GOES_ON.test(textOf(piece.subarray(Math.max(0, end - 100), Math.max(0, end)))))
  );
}

function tableOf(value: Json, written: Row = {}): readonly RowReading[] | undefined {
  const asWritten = Array.isArray(value) ? undefined : { ...(value as Row), ...written };
  return rowsWithin({ value, asWritten: asWritten ?? value })?.map((parsed, i) => readingOf(parsed, i + 1));
}

/** @throws DataError with line and column of what is no JSON */
function rowsOfValue(bytes: Uint8Array, path: string, decoder: TextDecoder): readonly RowReading[] {
  let text: string;
  try {
    text = decoder.decode(withoutMark(bytes));
  } catch {
    throw badEncoding(path, bytes);
  }
  let parsed: ParsedJson;
  try {
    parsed = parseJson(text);
  } catch {
    const { at, rule } = firstJsonFlaw(text, 'file');
    const before = text.slice(0, at).split('\n');
    throw badFile(`${path}:${before.length}:${(before.at(-1) ?? '').length + 1}`, rule);
  }
  const rows = rowsWithin(parsed) ?? [parsed];
  if (rows.length === 0) throw badFile(path, 'a list without rows; give one that has some');
  return rows.map((row, i) => readingOf(row, i + 1));
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

/** Undefined for an empty line. */
function readLine(bytes: Uint8Array, line: number, decoder: TextDecoder): RowReading | undefined {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { line, problem: 'holds bytes that are no UTF-8; save the file as UTF-8' };
  }
  if (/^[ \t\r]*$/.test(text)) return undefined;
  try {
    return readingOf(parseJson(text), line);
  } catch {
    const { at, rule } = firstJsonFlaw(text, 'line');
    return { line, column: at + 1, problem: rule };
  }
}

function readingOf({ value, asWritten }: ParsedJson, line: number): RowReading {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const [row, cells] = [value as Row, asWritten as Row]; // they differ in numbers alone
    if (row === cells) return { line, row };
    const odd = Object.keys(row).filter((name) => JSON.stringify(row[name]) !== JSON.stringify(cells[name]));
    return {
      line,
      row,
      ...(odd.length > 0 && { written: Object.fromEntries(odd.map((name) => [name, cells[name]])) }),
    };
  }
  const description = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
  return { line, problem: `${description}, not an object; write {"prompt": …, "answer": …}` };
}
