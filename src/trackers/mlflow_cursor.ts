/** `mlflow.json` of a run directory: which run of which server it is, and how far the logs are there. */
import { z } from 'zod';
import { sha256Hex } from '../run/fingerprint/sha256.ts';
import { parseJsonObject } from '../run/json.ts';
import type { Store } from '../run/store/store.ts';
import { BEGINNING, walkSchema } from './mlflow_metrics.ts';
import { TABLES_BEGINNING, tableWalkSchema } from './mlflow_tables.ts';

const FILE = 'mlflow.json';

const placeSchema = { bytes: z.number(), check: z.string() };

const cursorSchema = z.object({
  uri: z.string(),
  /** By which the run is found where its creation was not answered. */
  id: z.string(),
  /** Start of the run, in milliseconds since 1970: times of its metrics count from here. */
  startMs: z.number(),
  run: z.object({ run_id: z.string(), artifact_uri: z.string() }).optional(),
  /** Its parameters are there. */
  isDescribed: z.boolean(),
  /** What it was last said to be. */
  status: z.string(),
  metrics: z.object({ ...placeSchema, walk: walkSchema }),
  /** The last step whose metrics are there. */
  sent: walkSchema,
  /** The log was cut back by a resume: up to here its steps are there already. */
  passOver: walkSchema,
  completions: z.object({ ...placeSchema, walk: tableWalkSchema }),
  /** The last step whose table is there as a whole. */
  tabled: tableWalkSchema,
  /** The newest tables. */
  tables: z.array(z.string()),
  /** The server keeps no artifacts, or refuses them. */
  withoutArtifacts: z.boolean(),
});

export type Cursor = z.infer<typeof cursorSchema>;

/** A place in a log: all lines before `bytes` were read. `check` tells whether they are still the same. */
export interface LogPlace {
  readonly bytes: number;
  readonly check: string;
}

export const LOG_BEGINNING: LogPlace = { bytes: 0, check: '' };

/** A run of which nothing was sent. */
export function newCursor(uri: string, startMs: number): Cursor {
  return {
    uri,
    id: crypto.randomUUID(),
    startMs,
    isDescribed: false,
    status: 'RUNNING',
    metrics: { ...LOG_BEGINNING, walk: BEGINNING },
    sent: BEGINNING,
    passOver: BEGINNING,
    completions: { ...LOG_BEGINNING, walk: TABLES_BEGINNING },
    tabled: TABLES_BEGINNING,
    tables: [],
    withoutArtifacts: false,
  };
}

/** Undefined where there is none, or none that was written here. */
export async function readCursor(store: Store): Promise<Cursor | undefined> {
  const bytes = await store.read(FILE);
  return bytes && cursorSchema.safeParse(parseJsonObject(bytes)).data;
}

export async function writeCursor(store: Store, cursor: Cursor): Promise<void> {
  await store.writeAtomic(FILE, new TextEncoder().encode(`${JSON.stringify(cursor, null, 1)}\n`));
}

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
