/** A run directory as records: finished, unfinished, failed, or under way. What is not there yet is undefined. */
import { z } from 'zod';
import { type Fingerprint, readFingerprint } from '../../src/run/fingerprint/fingerprint.ts';
import { type JsonObject, parseJsonObject } from '../../src/run/json.ts';
import type { Store } from '../../src/run/store/store.ts';
import { type FleetLine, newestFleetLine } from '../fleet/fleet_log.ts';
import { logLines } from '../trackers/log_lines.ts';
import type { CompletionsLog } from './completion_groups.ts';
import { type RunOutline, readOutline } from './outline.ts';
import { RunLog } from './run_log.ts';
import type { Curves } from './series.ts';

/** The part of summary.json that the page shows. */
const summarySchema = z.object({
  wallSeconds: z.number(),
  split: z.record(z.string(), z.number()),
  tokensPerSecond: z.number(),
  weightsSha256: z.string(),
  seed: z.number(),
  parameters: z.number(),
  /** Absent in older runs. */
  best: z
    .object({ stage: z.string(), step: z.number(), metric: z.string(), metrics: z.record(z.string(), z.number()) })
    .nullable()
    .optional(),
  model: z.enum(['best', 'last']).optional(),
});

export interface RunRecords extends RunOutline {
  readonly fingerprint: Fingerprint | undefined;
  /** Only of a run that has finished. */
  readonly summary: Readonly<z.infer<typeof summarySchema>> | undefined;
  /** Why a run broke off, in the words that the user saw. */
  readonly failure: string | undefined;
  /** Curves of metrics.jsonl. */
  readonly curves: Curves;
  /** What other machines have done for it so far; undefined where it has had no fleet. */
  readonly fleet: FleetLine | undefined;
  /** The lines of its newest baseline and of its newest evaluation. */
  readonly evaluations: readonly JsonObject[];
  /** The run's progress: its completions are written before the metrics of their step. */
  readonly newestStep: { readonly stage: number; readonly step: number };
  /** Lines of completions.jsonl, in order, read again with each call: they may be more than memory holds. */
  readonly completions: CompletionsLog;
}

/**
 * @param log  what was read of the run's metrics before: only what came since is read
 * @throws CheckpointError as `readOutline`, and where a log is damaged
 */
export async function readRun(store: Store, log = new RunLog(store)): Promise<RunRecords> {
  const outline = await readOutline(store);
  await log.read(outline.outline.stages);
  const object = async (file: string): Promise<JsonObject | undefined> => {
    const bytes = await store.read(file);
    return bytes && parseJsonObject(bytes);
  };
  const [failure, summary] = [await object('failure.json'), await object('summary.json')];
  const fingerprint = await readFingerprint(store);
  const curves = log.curves();
  return {
    ...outline,
    fingerprint,
    summary: summarySchema.safeParse(summary).data,
    failure: typeof failure?.message === 'string' ? failure.message : undefined,
    curves,
    fleet: await newestFleetLine(store),
    evaluations: log.evaluations,
    newestStep: { stage: curves.stages.findLastIndex(({ steps }) => steps.length > 0), step: log.newestStep },
    completions: (range) => logLines(store, 'completions.jsonl', range),
  };
}
