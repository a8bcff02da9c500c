/** `mlflow.json` of a run directory: which run of which server it is, and how far the logs are there. */
import { z } from 'zod';
import { TABLES_BEGINNING, tableWalkSchema } from './completions_walk.ts';
import { cursorFile, LOG_BEGINNING, logPlace } from './log_place.ts';
import { BEGINNING } from './metrics_walk.ts';
import { walkSchema } from './walk_schema.ts';

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
  metrics: z.object({ ...logPlace, walk: walkSchema }),
  /** The last step whose metrics are there. */
  sent: walkSchema,
  /** The log was cut back by a resume: up to here its steps are there already. */
  passOver: walkSchema,
  completions: z.object({ ...logPlace, walk: tableWalkSchema }),
  /** The last step whose table is there as a whole. */
  tabled: tableWalkSchema,
  /** The newest tables. */
  tables: z.array(z.string()),
  /** The server keeps no artifacts, or refuses them. */
  withoutArtifacts: z.boolean(),
});

export type Cursor = z.infer<typeof cursorSchema>;

/** A run that nothing was sent of yet. */
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

export const CURSOR_FILE = cursorFile('mlflow.json', cursorSchema);
