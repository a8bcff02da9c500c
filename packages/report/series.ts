/** metrics.jsonl as curves: which stage each line belongs to, where it lies in time and tokens, and means of steps. */
import type { JsonObject, JsonValue } from '../../src/run/json.ts';
import { lineKind } from '../../src/run/logs/line_kind.ts';
import type { DiagnosisData, EvaluationData, Interval, StageData } from './data.ts';
import { rounded, StageColumns, type StageState } from './stage_columns.ts';

/** Points of all stages together: about as many as a wide screen has columns. */
const MOST_POINTS = 1_600;
const LEAST_POINTS_A_STAGE = 100;
const MOST_MARKS = 100;
/** Evaluations that are kept before every second one is left out. */
const MOST_EVALUATIONS = 1_600;

export interface Curves {
  readonly stages: readonly StageData[];
  readonly evaluations: readonly EvaluationData[];
  readonly diagnoses: readonly DiagnosisData[];
}

type OpenDiagnosis = Pick<DiagnosisData, 'code' | 'stage' | 'message' | 'firstStep'> & {
  lastStep: number;
  times: number;
  /** Steps of every `stride`-th. */
  marks: number[];
  stride: number;
  withdrawn?: number;
};

/** A log as far as it was read, to be read on elsewhere: JSON. */
export interface CurveState {
  readonly stages: readonly StageState[];
  readonly evaluations: readonly EvaluationData[];
  readonly diagnoses: readonly (readonly [string, OpenDiagnosis])[];
  readonly evaluationLines: readonly JsonObject[];
  readonly seconds: number;
  readonly tokens: number;
  readonly waiting: number;
}

/**
 * Reads the log line by line, as it grows: a line costs its own numbers, however many came before. Only diagnoses do not
 * name their stage; two stages of a kind follow by their steps.
 */
export class CurveReader {
  readonly #stages: StageColumns[] = [];
  #evaluations: EvaluationData[] = [];
  readonly #diagnoses = new Map<string, OpenDiagnosis>();
  readonly #planned: readonly string[];
  #baseline: JsonObject | undefined;
  #newest: JsonObject | undefined;
  #seconds = 0;
  #tokens = 0;
  /** Evaluations that were logged before their own step, after whose time they belong. */
  #waiting = 0;

  /** @param planned  stages of the config, in order */
  constructor(planned: readonly { readonly stage: string }[]) {
    this.#planned = planned.map(({ stage }) => stage);
  }

  /** Reads on where another reader was. @param planned  stages of the config, in order */
  static from(planned: readonly { readonly stage: string }[], state: CurveState): CurveReader {
    const reader = new CurveReader(planned);
    reader.#stages.push(...state.stages.map((stage) => StageColumns.from(stage)));
    reader.#evaluations.push(...state.evaluations);
    for (const [key, diagnosis] of state.diagnoses) reader.#diagnoses.set(key, diagnosis);
    for (const line of state.evaluationLines) reader.#keep(line);
    [reader.#seconds, reader.#tokens, reader.#waiting] = [state.seconds, state.tokens, state.waiting];
    return reader;
  }

  /** What another reader needs to read on from here. */
  state(): CurveState {
    return {
      stages: this.#stages.map((stage) => stage.state(this.#mostPoints())),
      evaluations: this.#evaluations,
      diagnoses: [...this.#diagnoses],
      evaluationLines: this.evaluationLines,
      ...{ seconds: this.#seconds, tokens: this.#tokens, waiting: this.#waiting },
    };
  }

  /** Lines of the newest baseline and of the newest evaluation, as the log has them. */
  get evaluationLines(): readonly JsonObject[] {
    return [this.#baseline, this.#newest].flatMap((line, i, all) => (line && line !== all[i - 1] ? [line] : []));
  }

  #keep(line: JsonObject): void {
    if (line.evaluation === 'baseline') this.#baseline = line;
    this.#newest = line;
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
    const most = this.#mostPoints();
    return {
      stages: this.#stages.map((stage) => stage.data(most)),
      evaluations: this.#evaluations.slice(),
      diagnoses: [...this.#diagnoses.values()].map(({ stride: _, marks, ...diagnosis }) => ({
        ...diagnosis,
        marks: evenly([...new Set([...marks, diagnosis.lastStep])], MOST_MARKS),
      })),
    };
  }

  #mostPoints(): number {
    return Math.max(LEAST_POINTS_A_STAGE, Math.floor(MOST_POINTS / Math.max(1, this.#stages.length)));
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
      const place = { firstStep: step, lastStep: step, times: 1, marks: [step], stride: 1 };
      this.#diagnoses.set(key, { code, stage, message: String(message), ...place });
    } else {
      if (existing.times % existing.stride === 0) existing.marks.push(step);
      if (existing.marks.length > 2 * MOST_MARKS) {
        existing.marks = everySecond(existing.marks);
        existing.stride *= 2;
      }
      existing.times++;
      existing.lastStep = step;
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
      ...furtherFigures(line),
      runtime: typeof line.eval_runtime === 'number' ? rounded(line.eval_runtime) : null,
    });
    this.#keep(line);
    if (!isBaseline && step > (this.#stages[stage]?.lastStep ?? 0)) this.#waiting++;
  }

  /** The first of each stage, which the last is compared with, and the last stay. */
  #thinEvaluations(): void {
    this.#evaluations = this.#evaluations.filter(
      ({ stage }, i, all) => i % 2 === 0 || i === all.length - 1 || all[i - 1]?.stage !== stage,
    );
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
    if (this.#evaluations.length > MOST_EVALUATIONS) this.#thinEvaluations();
  }
}

function everySecond<T>(values: readonly T[]): T[] {
  return values.filter((_, i) => i % 2 === 0);
}

/** Figures besides those of every evaluation, each of which has bounds. */
function furtherFigures(line: JsonObject): Pick<EvaluationData, 'figures'> {
  const found = Object.keys(line).flatMap((key) => {
    const value = `${key}_low` in line && !/^eval_(accuracy|mean@|pass@)/.test(key) ? interval(line, key) : null;
    return value === null ? [] : [[key.slice('eval_'.length), value] as const];
  });
  return found.length === 0 ? {} : { figures: Object.fromEntries(found) };
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
