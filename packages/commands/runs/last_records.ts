/** The end of a log of one JSON object per line, of which no more is read than is asked for. */
import { type JsonObject, parseJsonObject } from '../../../src/run/json.ts';
import type { Store } from '../../../src/run/store/store.ts';

const NEWLINE = 0x0a;

export interface LastRecords {
  readonly records: readonly JsonObject[];
  /** Whether they are all that the file holds. */
  readonly isWhole: boolean;
}

/** The whole lines within the last `mostBytes` bytes, in order; a line that is no object is left out. */
export async function lastRecords(store: Store, path: string, mostBytes: number): Promise<LastRecords> {
  const size = (await store.size(path)) ?? 0;
  // One byte more tells whether the first line is whole.
  const begin = Math.max(0, size - mostBytes - 1);
  const bytes = (await store.readRange(path, begin, size)) ?? new Uint8Array(0);
  const records: JsonObject[] = [];
  let from = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
  if (begin > 0 && from === 0) return { records, isWhole: false };
  for (let end = bytes.indexOf(NEWLINE, from); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
    const record = parseJsonObject(bytes.subarray(from, end));
    if (record !== undefined) records.push(record);
    from = end + 1;
  }
  return { records, isWhole: begin === 0 };
}
