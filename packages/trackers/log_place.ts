/** How far a tracker has the logs of a run: places in them, and the file of the run directory that keeps them. */
import { z } from 'zod';
import { sha256Hex } from '../../src/run/fingerprint/sha256.ts';
import { parseJsonObject } from '../../src/run/json.ts';
import type { Store } from '../../src/run/store/store.ts';
import { type LogLine, logLines } from './log_lines.ts';

/** The fields of a LogPlace, for the schema of a cursor. */
export const logPlace = { bytes: z.number(), check: z.string() };

/** A place in a log: all lines before `bytes` were read. `check` tells whether they are still the same. */
export interface LogPlace {
  readonly bytes: number;
  readonly check: string;
}

export const LOG_BEGINNING: LogPlace = { bytes: 0, check: '' };

/** Bytes before a place that say whether the log is still the one that was read. */
const CHECKED_BYTES = 512;

export async function placeAt(store: Store, path: string, bytes: number): Promise<LogPlace> {
  const tail = await store.readRange(path, Math.max(0, bytes - CHECKED_BYTES), bytes);
  return { bytes, check: bytes === 0 ? '' : await sha256Hex(tail ?? new Uint8Array(0)) };
}

/** False after a resume has cut the log back to before the place. */
export async function isStill(store: Store, path: string, place: LogPlace): Promise<boolean> {
  return (await placeAt(store, path, place.bytes)).check === place.check;
}

/** The whole lines that follow a place, up to the end of the log as it is now. */
export async function* linesAfter(store: Store, path: string, { bytes }: LogPlace): AsyncGenerator<LogLine> {
  for await (const lines of logLines(store, path, { begin: bytes, end: Number.POSITIVE_INFINITY })) yield* lines;
}

/** Where a tracker keeps what it has sent. */
export interface CursorFile<T> {
  /** Undefined where there is none, or none that was written here. */
  read(store: Store): Promise<T | undefined>;
  write(store: Store, cursor: T): Promise<void>;
}

export function cursorFile<T>(name: string, schema: z.ZodType<T>): CursorFile<T> {
  return {
    read: async (store) => {
      const bytes = await store.read(name);
      return bytes && schema.safeParse(parseJsonObject(bytes)).data;
    },
    write: async (store, cursor) => {
      const isThere = await store.exists('config.yaml'); // a directory that was removed stays so
      if (isThere) await store.writeAtomic(name, new TextEncoder().encode(`${JSON.stringify(cursor, null, 1)}\n`));
    },
  };
}
