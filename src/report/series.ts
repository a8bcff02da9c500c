/** metrics.jsonl as curves: which stage each line belongs to, where it lies in time and tokens, and means of steps. */
import type { JsonObject, JsonValue } from '../run/json.ts';
import { lineKind } from '../run/logs/line_kind.ts';
import type { DiagnosisData, EvaluationData, Interval, StageData } from './data.ts';
import { rounded, StageColumns } from './stage_columns.ts';

/** Points of all stages together: about as many as a wide screen has columns. */
const MOST_POINTS = 1_600;
const LEAST_POINTS_A_STAGE = 100;
const MOST_MARKS = 100;

export interface Curves {
  readonly stages: readonly StageData[];
  readonly evaluations: readonly EvaluationData[];
  readonly diagnoses: readonly DiagnosisData[];
}

type OpenDiagnosis = Pick<DiagnosisData, 'code' | 'stage' | 'message'> & {
  readonly steps: number[];
  withdrawn?: number;
};

/**
 * Reads the log line by line, as it grows: a line costs its own numbers, however many came before. Only diagnoses do not
 * name their stage; two stages of a kind follow by their steps.
 */
export class CurveReader {
  readonly #stages: StageColumns[] = [];
  readonly #evaluations: EvaluationData[] = [];
  readonly #diagnoses = new Map<string, OpenDiagnosis>();
  readonly #planned: readonly string[];
  /** As the log has them, in order. */
  readonly evaluationLines: JsonObject[] = [];
  #seconds = 0;
  #tokens = 0;
  /** Evaluations that were logged before their own step, after whose time they belong. */
  #waiting = 0;

  /** @param planned  stages of the config, in order */
  constructor(planned: readonly { readonly stage: string }[]) {
    this.#planned = planned.map(({ stage }) => stage);
  }

  read(line: JsonObject): void {
    const step = numberOr(line.step, 0);
    const kind = lineKind(line);
    if (kind === 'diagnosis') this.#diagnosis(line, String(line.diagnosis), step);
    else if (kind === 'evaluation') this.#evaluation(line, step);
    else if (kind === 'batch') this.#batch(line, step);
    else this.#step(line, step);
  }

  /** Time of the training steps that were read so far. */
  get seconds(): number {
    return this.#seconds;
  }

  /** What was read so far; further lines change nothing of it. */
  curves(): Curves {
    const most = Math.max(LEAST_POINTS_A_STAGE, Math.floor(MOST_POINTS / Math.max(1, this.#stages.length)));
    return {
      stages: this.#stages.map((stage) => stage.data(most)),
      evaluations: this.#evaluations.slice(),
      diagnoses: [...this.#diagnoses.values()].map(({ steps, ...diagnosis }) => ({
        ...diagnosis,
        firstStep: steps[0] ?? 0,
        lastStep: steps.at(-1) ?? 0,
        times: steps.length,
        marks: evenly([...new Set(steps)], MOST_MARKS),
      })),
    };
  }

  #enter(name: string, isNew: (current: StageColumns) => boolean): number {
    const current = this.#stages.at(-1);
    if (current === undefined || current.stage !== name || isNew(current)) {
      const next = this.#planned.indexOf(name, (current?.index ?? -1) + 1);
      this.#stages.push(new StageColumns(name, next < 0 ? this.#stages.length : next));
    }
    return this.#stages.length - 1;
  }

  #diagnosis({ level, message }: JsonObject, code: string, step: number): void {
    const stage = Math.max(0, this.#stages.length - 1);
    const key = `${stage}|${code}`;
    const existing = this.#diagnoses.get(key);
    if (level === 'withdrawn') {
      if (existing !== undefined) existing.withdrawn = step;
    } else if (existing === undefined) {
      this.#diagnoses.set(key, { code, stage, message: String(message), steps: [step] });
    } else {
      existing.steps.push(step);
      delete existing.withdrawn;
    }
  }

  #evaluation(line: JsonObject, step: number): void {
    const isBaseline = line.evaluation === 'baseline';
    const stage = this.#enter(String(line.stage), ({ count }) => isBaseline && count > 0);
    const sampled = Object.keys(line).find((key) => /^eval_mean@\d+$/.test(key));
    const samples = Number(sampled?.split('@')[1] ?? 1);
    this.#evaluations.push({
      stage,
      step,
      seconds: rounded(this.#seconds),
      tokens: this.#tokens,
      greedy: interval(line, 'eval_accuracy'),
      sampled: sampled === undefined ? null : interval(line, sampled),
      pass: samples > 1 ? interval(line, `eval_pass@${samples}`) : null,
      samples,
      runtime: typeof line.eval_runtime === 'number' ? rounded(line.eval_runtime) : null,
    });
    this.evaluationLines.push(line);
    if (!isBaseline && step > (this.#stages[stage]?.lastStep ?? 0)) this.#waiting++;
  }

  /** It lies where the step is that it was drawn for: that one's time and tokens are those of all its batches. */
  #batch(line: JsonObject, step: number): void {
    const stage = this.#enter(String(line.stage), ({ lastStep }) => step <= lastStep);
    const tokens = numberOr(line.num_tokens, this.#tokens);
    this.#stages[stage]?.addBatch({ step, seconds: this.#seconds, tokens, metrics: line });
  }

  #step(line: JsonObject, step: number): void {
    const stage = this.#enter(String(line.stage), ({ lastStep }) => step <= lastStep);
    const duration = numberOr(line.step_time, 0);
    this.#seconds += duration;
    const [seconds, tokens] = [this.#seconds, numberOr(line.num_tokens, this.#tokens)];
    this.#stages[stage]?.add({ step, seconds, tokens, drawn: tokens - this.#tokens, duration, metrics: line });
    this.#tokens = tokens;
    for (; this.#waiting > 0; this.#waiting--) {
      const at = this.#evaluations.length - this.#waiting;
      const evaluation = this.#evaluations[at];
      if (evaluation) this.#evaluations[at] = { ...evaluation, seconds: rounded(seconds), tokens };
    }
  }
}

/** A mean of an evaluation with its bounds; null where the line has none. */
export function interval(line: JsonObject, key: string): Interval | null {
  const value = line[key];
  if (typeof value !== 'number') return null;
  return [rounded(value), rounded(numberOr(line[`${key}_low`], value)), rounded(numberOr(line[`${key}_high`], value))];
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** At most `most` of the values, the first and the last among them. */
export function evenly<T>(values: readonly T[], most: number): T[] {
  if (values.length <= most) return [...values];
  const stride = (values.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => values[Math.round(i * stride)] as T);
}
