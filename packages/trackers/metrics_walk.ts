/** Lines of metrics.jsonl as trackers have them: numbers by steps that count on over the stages. */
import type { JsonObject, JsonValue } from '../../src/run/json.ts';
import { lineKind } from '../../src/run/logs/line_kind.ts';
import type { LoggedNumber } from './sent_tracker.ts';

/** The position of a reader of the log. */
export interface Walk {
  /** Stages begun so far. */
  readonly stages: number;
  /** Kind of the stage that is read: `sft` or `grpo`. */
  readonly stage: string;
  /** Its last step. */
  readonly step: number;
  /** Steps of the stages before it. */
  readonly before: number;
  /** Seconds of all steps. */
  readonly seconds: number;
  /** Further batches that were drawn for the next step. */
  readonly batches: number;
}

export const BEGINNING: Walk = { stages: 0, stage: '', step: 0, before: 0, seconds: 0, batches: 0 };

/** What a line says. */
export interface ReadLine {
  /** After it. */
  readonly walk: Walk;
  /** It ends a step: what follows belongs to the next. */
  readonly endsStep: boolean;
  /** A resumed run writes it again as it was. */
  readonly isOfStep: boolean;
  /** Counted on over the stages. */
  readonly step: number;
  readonly numbers: readonly (readonly [string, LoggedNumber])[];
  /** What is said of the run there, instead of numbers. */
  readonly diagnosis?: { readonly code: string; readonly level: string; readonly message: string };
}

export function readLine(line: JsonObject, walk: Walk): ReadLine {
  const step = Number(line.step);
  const kind = lineKind(line);
  if (kind === 'diagnosis') {
    const diagnosis = { code: String(line.diagnosis), level: String(line.level), message: String(line.message) };
    return { walk, endsStep: false, isOfStep: false, step: walk.before + step, numbers: [], diagnosis };
  }
  const entered = enter(line, step, walk);
  const endsStep = kind === 'step';
  const seconds = entered.seconds + (endsStep ? Number(line.step_time) || 0 : 0);
  const numbers = Object.entries(line).flatMap(([key, value]) =>
    key === 'step' || !isNumber(value) ? [] : [[key, value] as const],
  );
  return {
    walk: {
      ...entered,
      seconds,
      step: endsStep ? step : entered.step,
      batches: endsStep ? 0 : entered.batches + (kind === 'batch' ? 1 : 0),
    },
    endsStep,
    isOfStep: line.evaluation !== 'requested',
    step: entered.before + step,
    numbers,
  };
}

/** Only its steps tell that a stage follows on one of its own kind. */
function enter(line: JsonObject, step: number, walk: Walk): Walk {
  const stage = String(line.stage);
  const isNext = lineKind(line) !== 'evaluation' ? step <= walk.step : line.evaluation === 'baseline' && walk.step > 0;
  if (walk.stages > 0 && stage === walk.stage && !isNext) return walk;
  return { ...walk, stages: walk.stages + 1, stage, step: 0, before: walk.before + walk.step, batches: 0 };
}

/** Whether a line that ends at `a` comes after one that ends at `b`. */
export function isBehind(a: Walk, b: Walk): boolean {
  return a.stages > b.stages || (a.stages === b.stages && a.step > b.step);
}

function isNumber(value: JsonValue): value is LoggedNumber {
  return typeof value === 'number' || value === 'NaN' || value === 'Infinity' || value === '-Infinity';
}
