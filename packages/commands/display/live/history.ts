/** What the log of a resumed run says of the stage under way, so that charts continue where they were. */
import type { JsonObject, JsonValue } from '../../../../src/run/json.ts';
import { lineKind } from '../../../../src/run/logs/line_kind.ts';
import { type LiveState, withAccuracy, withBatch, withFigures } from './state.ts';

/**
 * A stage that is resumed, with its curves so far.
 *
 * @param state    at its `stage` event
 * @param records  the end of metrics.jsonl
 */
export function withHistory(state: LiveState, records: readonly JsonObject[]): LiveState {
  const ofStage = ofLastStage(records, state.work[state.stageIndex]?.stage).filter(
    ({ step }) => Number(step) <= state.step,
  );
  const drawn = ofStage.reduce(withRecord, state);
  const tokens = Number(drawn.metrics.num_tokens);
  return { ...drawn, step: state.step, last: { ...state.last, tokens: Number.isFinite(tokens) ? tokens : undefined } };
}

/** Steps count from 1 in each stage: where they fall, another one has begun. */
function ofLastStage(records: readonly JsonObject[], stage: string | undefined): JsonObject[] {
  let own: JsonObject[] = [];
  let last = 0;
  for (const record of records) {
    const step = Number(record.step);
    if (record.stage !== stage || step < last) own = [];
    last = record.stage === stage ? step : 0;
    if (record.stage === stage) own.push(record);
  }
  return own;
}

function withRecord(state: LiveState, record: JsonObject): LiveState {
  const step = Number(record.step);
  const sampled = Object.keys(record).find((name) => /^eval_mean@\d+$/.test(name));
  if (typeof record.eval_accuracy === 'number' && sampled !== undefined) {
    return withAccuracy(state, step, intervalOf(record, 'eval_accuracy'), intervalOf(record, sampled));
  }
  if (lineKind(record) === 'batch') return withBatch(state, figuresOf(record));
  return lineKind(record) === 'step' ? withFigures(state, step, figuresOf(record)) : state;
}

function intervalOf(
  record: JsonObject,
  name: string,
): { readonly mean: number; readonly low: number; readonly high: number } {
  const mean = Number(record[name]);
  const end = (value: JsonValue | undefined): number => (typeof value === 'number' ? value : mean);
  return { mean, low: end(record[`${name}_low`]), high: end(record[`${name}_high`]) };
}

function figuresOf(record: JsonObject): Readonly<Record<string, number | string>> {
  const isFigure = (entry: [string, JsonValue]): entry is [string, number | string] =>
    typeof entry[1] === 'number' || typeof entry[1] === 'string';
  return Object.fromEntries(Object.entries(record).filter(isFigure));
}
