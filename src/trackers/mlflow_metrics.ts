/**
 * Lines of metrics.jsonl as MLflow has them: numbers under TRL's names, by steps that count on over the stages.
 *
 * What is sent twice must be the same to the byte, so that the server keeps it once: a line's time is that of the run's
 * start, and of all steps up to it.
 */
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../run/json.ts';
import type { MlflowMetric, MlflowPair } from './mlflow_client.ts';

/** The position of a reader of the log. */
export const walkSchema = z.object({
  /** Stages begun so far. */
  stages: z.number(),
  /** Kind of the stage that is read: `sft` or `grpo`. */
  stage: z.string(),
  /** Its last step. */
  step: z.number(),
  /** Steps of the stages before it. */
  before: z.number(),
  /** Seconds of all steps. */
  seconds: z.number(),
});
export type Walk = Readonly<z.infer<typeof walkSchema>>;

export const BEGINNING: Walk = { stages: 0, stage: '', step: 0, before: 0, seconds: 0 };

/** What a line says. */
export interface ReadLine {
  /** After it. */
  readonly walk: Walk;
  /** It ends a step: what follows belongs to the next. */
  readonly endsStep: boolean;
  /** A resumed run writes it again as it was. */
  readonly isOfStep: boolean;
  readonly metrics: readonly MlflowMetric[];
  readonly tags: readonly MlflowPair[];
}

/** @param startMs  of the run, since 1970 */
export function readLine(line: JsonObject, walk: Walk, startMs: number): ReadLine {
  const step = Number(line.step);
  if (typeof line.diagnosis === 'string') {
    const value = `step ${step}: ${String(line.message)}`.slice(0, MOST_TAG);
    return {
      walk,
      endsStep: false,
      isOfStep: false,
      metrics: [],
      tags: [{ key: nameOf(`diagnosis.${line.diagnosis}`), value }],
    };
  }
  const entered = enter(line, step, walk);
  const endsStep = line.evaluation === undefined;
  const seconds = entered.seconds + (endsStep ? Number(line.step_time) || 0 : 0);
  const timestamp = Math.round(startMs + seconds * 1000);
  const metrics = Object.entries(line).flatMap(([key, value]): MlflowMetric[] =>
    key === 'step' || !isNumber(value) ? [] : [{ key: nameOf(key), value, timestamp, step: entered.before + step }],
  );
  const isOfStep = line.evaluation !== 'requested';
  return { walk: { ...entered, seconds, step: endsStep ? step : entered.step }, endsStep, isOfStep, metrics, tags: [] };
}

const MOST_TAG = 4_000;

/** Only its steps tell that a stage follows on one of its own kind. */
function enter(line: JsonObject, step: number, walk: Walk): Walk {
  const stage = String(line.stage);
  const isNext = line.evaluation === undefined ? step <= walk.step : line.evaluation === 'baseline' && walk.step > 0;
  if (walk.stages > 0 && stage === walk.stage && !isNext) return walk;
  return { ...walk, stages: walk.stages + 1, stage, step: 0, before: walk.before + walk.step };
}

/** Whether a line that ends at `a` comes after one that ends at `b`. */
export function isBehind(a: Walk, b: Walk): boolean {
  return a.stages > b.stages || (a.stages === b.stages && a.step > b.step);
}

function isNumber(value: JsonValue): value is MlflowMetric['value'] {
  return typeof value === 'number' || value === 'NaN' || value === 'Infinity' || value === '-Infinity';
}

/** As transformers writes them: what MLflow does not take in a name becomes `_`, as in `eval_mean_4`. */
export function nameOf(key: string): string {
  return key.replace(/[^0-9A-Za-z_\-. :/]/g, '_').slice(0, 250);
}
