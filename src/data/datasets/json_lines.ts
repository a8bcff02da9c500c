/** JSON Lines: a JSON object a line, in UTF-8, with or without a byte order mark and carriage returns; empty lines count for nothing. */
import type { Json } from '../../options/json.ts';
import { badFile } from './data_files.ts';
import { firstJsonFlaw } from './json_flaw.ts';
import type { Row, RowReading } from './row.ts';

/** Longest line, in bytes: a file without ends of lines is not read into memory whole. */
const MOST_LINE_BYTES = 64 * 1024 ** 2;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** @throws DataError where the file holds no line, or one that is too long */
export async function* readJsonLines(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<readonly RowReading[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest: Uint8Array = new Uint8Array(0);
  let line = 0;
  let found = 0;
  let isFirst = true;
  const read = (bytes: Uint8Array, into: RowReading[]): void => {
    line++;
    const reading = readLine(bytes, line, decoder);
    if (reading !== undefined) into.push(reading);
  };
  for await (const piece of pieces) {
    const bytes: Uint8Array = isFirst ? withoutMark(joined(rest, piece)) : joined(rest, piece);
    isFirst &&= bytes.length === 0;
    const readings: RowReading[] = [];
    let begin = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
      read(bytes.subarray(begin, end), readings);
      begin = end + 1;
    }
    rest = bytes.slice(begin);
    if (rest.length > MOST_LINE_BYTES) {
      throw badFile(path, `line ${line + 1} is longer than ${MOST_LINE_BYTES / 1024 ** 2} MiB; give a row a line`);
    }
    found += readings.length;
    if (readings.length > 0) yield readings;
  }
  const last: RowReading[] = [];
  if (rest.length > 0) read(rest, last);
  if (last.length > 0) yield last;
  if (found + last.length === 0) throw badFile(path, 'an empty file; give one with a row a line');
}

function joined(rest: Uint8Array, piece: Uint8Array): Uint8Array {
  if (rest.length === 0) return piece;
  const bytes = new Uint8Array(rest.length + piece.length);
  bytes.set(rest);
  bytes.set(piece, rest.length);
  return bytes;
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
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    const { at, rule } = firstJsonFlaw(text);
    return { line, column: at + 1, problem: rule };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { line, row: value as Row };
  const what = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
  return { line, problem: `${what}, not an object; write {"prompt": …, "answer": …}` };
}
