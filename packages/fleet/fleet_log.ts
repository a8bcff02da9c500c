/**
 * `fleet.jsonl`: what the fleet of a run has done by each optimizer step, a line a step, counted from where its learner was
 * started. It is apart from metrics.jsonl, whose lines are those of one machine: who sampled what, and how long it took,
 * differs each time. A step that is done again has a line again.
 */
import { z } from 'zod';
import { parseJsonObject } from '../../src/run/json.ts';
import { endOfLastLine } from '../../src/run/logs/log_lines.ts';
import type { Store } from '../../src/run/store/store.ts';

/** Beside the run's own logs. */
export const FLEET_LOG = 'fleet.jsonl';
/** Bytes from which the last line is read: a line has some hundred. */
const TAIL_BYTES = 4096;

const count = z.number().min(0);
const lineSchema = z.object({
  stage: z.string(),
  step: count,
  /** Workers that are there. */
  workers: count,
  /** Groups that workers have sampled, and those that the learner has sampled itself. */
  groups_by_workers: count,
  groups_by_learner: count,
  /** Most groups that were given out at once since the line before. */
  groups_under_way: count,
  /** Groups that had been given out before they were asked for; lines of older versions have not got it. */
  groups_ahead: count.default(0),
  /** Groups whose next turn was sampled by the worker that had the one before; lines of older versions have not got it. */
  groups_continued: count.default(0),
  /** Groups that the learner has sampled again to compare them. */
  groups_checked: count,
  /** Answers that came twice, or for a task that was over; and those that were refused. */
  answers_doubled: count,
  answers_refused: count,
  /** Seconds that workers have spent on such answers, and on groups ahead that nobody asked for. */
  wasted_seconds: count,
  /** For which the learner waited for completions, and for which it sent weights and tasks. */
  waited_seconds: count,
  broadcast_seconds: count,
  /** Bytes of weights that were sent. */
  broadcast_bytes: count,
  /** Since the learner was started. */
  seconds: count,
  /** Where the fleet does not pay: why, and what would help. */
  advice: z.string().optional(),
});

export type FleetLine = Readonly<z.infer<typeof lineSchema>>;

/** Undefined where the run has had no fleet yet, or its newest line is none. */
export async function newestFleetLine(store: Store): Promise<FleetLine | undefined> {
  const size = (await store.size(FLEET_LOG)) ?? 0;
  const end = await endOfLastLine(store, FLEET_LOG, size);
  const tail = end === 0 ? undefined : await store.readRange(FLEET_LOG, Math.max(0, end - TAIL_BYTES), end);
  const [last] = tail === undefined ? [] : new TextDecoder().decode(tail).trimEnd().split('\n').slice(-1);
  return last === undefined ? undefined : lineSchema.safeParse(parseJsonObject(new TextEncoder().encode(last))).data;
}
