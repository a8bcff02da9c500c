/** metrics.jsonl as curves: which stage each line belongs to, where it lies in time and tokens, and means of steps. */
import type { JsonObject, JsonValue } from '../run/json.ts';
import type { Column, DiagnosisData, EvaluationData, Interval, StageData } from './data.ts';

/** Points of all stages together: about as many as a wide screen has columns. */
const MOST_POINTS = 1_600;
const LEAST_POINTS_A_STAGE = 100;
const MOST_MARKS = 100;

export interface Curves {
  readonly stages: readonly StageData[];
  readonly evaluations: readonly EvaluationData[];
  readonly diagnoses: readonly DiagnosisData[];
}

/** What can be told of the lines of metrics.jsonl. @param planned stages of the config, in order */
export function readCurves(lines: readonly JsonObject[], planned: readonly { readonly stage: string }[]): Curves {
  const walk = new Walk(planned.map(({ stage }) => stage));
  for (const line of lines) walk.read(line);
  const most = Math.max(LEAST_POINTS_A_STAGE, Math.floor(MOST_POINTS / Math.max(1, walk.stages.length)));
  return {
    stages: walk.stages.map((stage) => thinned(stage, most)),
    evaluations: walk.evaluations,
    diagnoses: [...walk.diagnoses.values()].map(({ steps, ...diagnosis }) => ({
      ...diagnosis,
      firstStep: steps[0] ?? 0,
      lastStep: steps.at(-1) ?? 0,
      times: steps.length,
      marks: evenly([...new Set(steps)], MOST_MARKS),
    })),
  };
}

interface Stage {
  readonly stage: string;
  readonly index: number;
  readonly steps: Step[];
}

interface Step {
  readonly step: number;
  readonly seconds: number;
  readonly tokens: number;
  /** Tokens since the step before: 0 for further steps on the same generation batch. */
  readonly drawn: number;
  readonly duration: number;
  readonly metrics: JsonObject;
}

type OpenDiagnosis = Pick<DiagnosisData, 'code' | 'stage' | 'message'> & { readonly steps: number[] };

/** Reads the log line by line. Only diagnoses do not name their stage; two stages of a kind follow by their steps. */
class Walk {
  readonly stages: Stage[] = [];
  readonly evaluations: EvaluationData[] = [];
  readonly diagnoses = new Map<string, OpenDiagnosis>();
  readonly #planned: readonly string[];
  #seconds = 0;
  #tokens = 0;
  /** Evaluations of a step are logged before the step itself, whose time they belong behind. */
  #waiting = 0;

  constructor(planned: readonly string[]) {
    this.#planned = planned;
  }

  read(line: JsonObject): void {
    const step = numberOr(line.step, 0);
    if (typeof line.diagnosis === 'string') this.#diagnosis(line.diagnosis, String(line.message), step);
    else if (line.evaluation !== undefined) this.#evaluation(line, step);
    else this.#step(line, step);
  }

  #enter(name: string, isNew: (current: Stage) => boolean): number {
    const current = this.stages.at(-1);
    if (current === undefined || current.stage !== name || isNew(current)) {
      const next = this.#planned.indexOf(name, (current?.index ?? -1) + 1);
      this.stages.push({ stage: name, index: next < 0 ? this.stages.length : next, steps: [] });
    }
    return this.stages.length - 1;
  }

  #diagnosis(code: string, message: string, step: number): void {
    const stage = Math.max(0, this.stages.length - 1);
    const key = `${stage}|${code}`;
    const known = this.diagnoses.get(key);
    if (known === undefined) this.diagnoses.set(key, { code, stage, message, steps: [step] });
    else known.steps.push(step);
  }

  #evaluation(line: JsonObject, step: number): void {
    const isBaseline = line.evaluation === 'baseline';
    const stage = this.#enter(String(line.stage), ({ steps }) => isBaseline && steps.length > 0);
    const sampled = Object.keys(line).find((key) => /^eval_mean@\d+$/.test(key));
    const samples = Number(sampled?.split('@')[1] ?? 1);
    this.evaluations.push({
      stage,
      step,
      seconds: rounded(this.#seconds),
      tokens: this.#tokens,
      greedy: interval(line, 'eval_accuracy'),
      sampled: sampled === undefined ? null : interval(line, sampled),
      pass: samples > 1 ? interval(line, `eval_pass@${samples}`) : null,
      samples,
    });
    if (!isBaseline) this.#waiting++;
  }

  #step(line: JsonObject, step: number): void {
    const stage = this.#enter(String(line.stage), ({ steps }) => step <= (steps.at(-1)?.step ?? 0));
    const duration = numberOr(line.step_time, 0);
    this.#seconds += duration;
    const [seconds, tokens] = [this.#seconds, numberOr(line.num_tokens, this.#tokens)];
    this.stages[stage]?.steps.push({ step, seconds, tokens, drawn: tokens - this.#tokens, duration, metrics: line });
    this.#tokens = tokens;
    for (; this.#waiting > 0; this.#waiting--) {
      const at = this.evaluations.length - this.#waiting;
      const evaluation = this.evaluations[at];
      if (evaluation) this.evaluations[at] = { ...evaluation, seconds: rounded(seconds), tokens };
    }
  }
}

function thinned({ stage, index, steps }: Stage, most: number): StageData {
  const stepsPerPoint = Math.max(1, Math.ceil(steps.length / most));
  const points: Step[][] = [];
  for (let at = 0; at < steps.length; at += stepsPerPoint) points.push(steps.slice(at, at + stepsPerPoint));
  const names = new Set(steps.flatMap(({ metrics }) => Object.keys(metrics)));
  for (const key of ['step', 'stage', 'num_tokens']) names.delete(key);
  const rates = tokenRates(steps);
  const rateOf = new Map(steps.map((step, i) => [step, rates[i] ?? null]));
  const column = (value: (step: Step) => JsonValue | undefined): Column =>
    compact(points.map((p) => mean(p.map(value))));
  const ends = points.map((point) => point.at(-1) as Step);
  return {
    stage,
    index,
    stepsPerPoint,
    steps: ends.map(({ step }) => step),
    seconds: ends.map(({ seconds }) => rounded(seconds)),
    tokens: ends.map(({ tokens }) => tokens),
    metrics: {
      ...Object.fromEntries([...names].map((name) => [name, column(({ metrics }) => metrics[name])])),
      tokens_per_second: column((step) => rateOf.get(step)),
    },
  };
}

/** Tokens per second: those of a generation batch over all steps that work on it; null for its later steps. */
function tokenRates(steps: readonly Step[]): (number | null)[] {
  return steps.map(({ drawn }, begin) => {
    if (drawn === 0) return null;
    let { duration } = steps[begin] as Step;
    for (let at = begin + 1; steps[at]?.drawn === 0; at++) duration += (steps[at] as Step).duration;
    return duration > 0 ? drawn / duration : null;
  });
}

/** Mean of the finite ones. NaN and infinities are logged as texts, and leave a gap in a curve. */
function mean(values: readonly (JsonValue | undefined)[]): number | null {
  const finite = values.filter((value) => typeof value === 'number');
  return finite.length === 0 ? null : rounded(finite.reduce((sum, value) => sum + value, 0) / finite.length);
}

function compact(values: readonly (number | null)[]): Column {
  const [first] = values;
  return typeof first === 'number' && values.every((value) => value === first) ? first : values;
}

/** Five digits: finer than a pixel, and half the bytes. */
function rounded(value: number): number {
  return Number(value.toPrecision(5));
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
