/**
 * The steps of one stage as columns that grow a step at a time. A point is the mean of neighbouring steps, of twice as
 * many where there would be more points than are shown; so a step costs its own numbers, however long the stage is.
 */
import type { JsonObject, JsonValue } from '../../src/run/json.ts';
import type { Column, StageData } from './data.ts';

/** Points that are kept before neighbours are joined: twice as many as the page shows of one stage. */
const MOST_KEPT = 3_200;
const DIGITS = 5;
const POWERS = Array.from({ length: 22 }, (_, i) => Number(`1e${i}`));
/** What a line says besides its metrics. */
const NO_METRICS: ReadonlySet<string> = new Set(['step', 'stage', 'batch', 'num_tokens']);

/** A line of the log, and where it lies in the run. */
export interface LoggedStep {
  readonly step: number;
  /** Since the run began. */
  readonly seconds: number;
  readonly tokens: number;
  /** Tokens since the step before: 0 for further steps on the same generation batch. */
  readonly drawn: number;
  /** Seconds. */
  readonly duration: number;
  readonly metrics: JsonObject;
}

/** A stage as far as it was read, to be read on elsewhere: JSON. */
export interface StageState
  extends Pick<StageData, 'stage' | 'index' | 'stepsPerPoint' | 'steps' | 'seconds' | 'tokens'> {
  readonly count: number;
  readonly lastStep: number;
  readonly batch?: OpenBatch;
  readonly rates: MeansState;
  readonly metrics: Readonly<Record<string, MeansState>>;
}

/** [points] sums and counts. */
type MeansState = readonly [readonly number[], readonly number[]];

/** The generation batch whose steps are under way: its tokens count over all of them. */
interface OpenBatch {
  /** Index in the stage of the step that drew it. */
  readonly index: number;
  readonly drawn: number;
  duration: number;
}

export class StageColumns {
  readonly stage: string;
  /** Position in the config's list of stages. */
  readonly index: number;
  /** Steps so far. */
  count = 0;
  lastStep = 0;
  #stepsPerPoint = 1;
  readonly #steps: number[] = [];
  readonly #seconds: number[] = [];
  readonly #tokens: number[] = [];
  readonly #metrics = new Map<string, Means>();
  #rates = new Means(0);
  #batch: OpenBatch | undefined;

  constructor(stage: string, index: number) {
    this.stage = stage;
    this.index = index;
  }

  /** Reads on where another reader was. */
  static from({ stage, index, batch, rates, metrics, ...state }: StageState): StageColumns {
    const columns = new StageColumns(stage, index);
    Object.assign(columns, { count: state.count, lastStep: state.lastStep });
    columns.#stepsPerPoint = state.stepsPerPoint;
    columns.#steps.push(...state.steps);
    columns.#seconds.push(...state.seconds);
    columns.#tokens.push(...state.tokens);
    columns.#batch = batch && { ...batch };
    columns.#rates = Means.from(rates);
    for (const [name, means] of Object.entries(metrics)) columns.#metrics.set(name, Means.from(means));
    return columns;
  }

  /** What another reader needs to read on from here. @param most  points */
  state(most: number): StageState {
    const { stage, index, count, lastStep } = this;
    const { stepsPerPoint, steps, seconds, tokens } = this.data(most);
    return {
      ...{ stage, index, count, lastStep, stepsPerPoint, steps, seconds, tokens },
      ...(this.#batch && { batch: this.#batch }),
      rates: this.#rates.state(),
      metrics: Object.fromEntries([...this.#metrics].map(([name, means]) => [name, means.state()])),
    };
  }

  add({ drawn, duration, ...line }: LoggedStep): void {
    this.addBatch(line);
    this.#rate(drawn, duration);
    this.count++;
    this.lastStep = line.step;
    if (this.#steps.length > MOST_KEPT) this.#halve();
  }

  /** A batch that was drawn for the next step: it counts in the means of the point where that will be. */
  addBatch({ step, seconds, tokens, metrics }: Omit<LoggedStep, 'drawn' | 'duration'>): void {
    const at = this.#pointOf(this.count);
    if (at === this.#steps.length) {
      this.#rates.open();
      for (const means of this.#metrics.values()) means.open();
    }
    [this.#steps[at], this.#seconds[at], this.#tokens[at]] = [step, rounded(seconds), tokens];
    for (const [name, value] of Object.entries(metrics)) {
      if (!NO_METRICS.has(name)) this.#meansOf(name).add(at, value);
    }
  }

  /** What there is by now. @param most  points */
  data(most: number): StageData {
    while (this.#steps.length > most) this.#halve();
    const columns = [...this.#metrics].map(([name, means]) => [name, means.column()] as const);
    return {
      stage: this.stage,
      index: this.index,
      stepsPerPoint: this.#stepsPerPoint,
      taken: this.lastStep,
      steps: this.#steps.slice(),
      seconds: this.#seconds.slice(),
      tokens: this.#tokens.slice(),
      metrics: { ...Object.fromEntries(columns), tokens_per_second: this.#rates.column() },
    };
  }

  #pointOf(index: number): number {
    return Math.floor(index / this.#stepsPerPoint);
  }

  #meansOf(name: string): Means {
    const existing = this.#metrics.get(name);
    if (existing !== undefined) return existing;
    const made = new Means(this.#steps.length);
    this.#metrics.set(name, made);
    return made;
  }

  /** Tokens per second: those of a generation batch over all steps that work on it; none for its later steps. */
  #rate(drawn: number, duration: number): void {
    if (drawn !== 0) {
      this.#batch = { index: this.count, drawn, duration };
      if (duration > 0) this.#rates.add(this.#pointOf(this.count), drawn / duration);
      return;
    }
    const batch = this.#batch;
    if (batch === undefined || duration === 0) return;
    const at = this.#pointOf(batch.index);
    const before = batch.duration;
    batch.duration += duration;
    if (before > 0) this.#rates.replace(at, batch.drawn / before, batch.drawn / batch.duration);
    else this.#rates.add(at, batch.drawn / batch.duration);
  }

  /** Joins neighbouring points. */
  #halve(): void {
    this.#stepsPerPoint *= 2;
    for (const ends of [this.#steps, this.#seconds, this.#tokens]) {
      const length = Math.ceil(ends.length / 2);
      for (let i = 0; i < length; i++) ends[i] = ends[Math.min(2 * i + 1, ends.length - 1)] as number;
      ends.length = length;
    }
    this.#rates.halve();
    for (const means of this.#metrics.values()) means.halve();
  }
}

/** Means by point; null where a point has no finite value. NaN and infinities are logged as texts, and leave a gap. */
class Means {
  readonly #sums: number[];
  readonly #counts: number[];
  readonly #values: (number | null)[];

  /** @param points  that there are already, without a value */
  constructor(points: number) {
    this.#sums = new Array(points).fill(0);
    this.#counts = new Array(points).fill(0);
    this.#values = new Array(points).fill(null);
  }

  static from([sums, counts]: MeansState): Means {
    const means = new Means(sums.length);
    sums.forEach((sum, at) => {
      [means.#sums[at], means.#counts[at]] = [sum, counts[at] ?? 0];
      means.#refresh(at);
    });
    return means;
  }

  state(): MeansState {
    return [this.#sums.slice(), this.#counts.slice()];
  }

  open(): void {
    this.#sums.push(0);
    this.#counts.push(0);
    this.#values.push(null);
  }

  add(at: number, value: JsonValue): void {
    if (typeof value !== 'number') return;
    this.#sums[at] = (this.#sums[at] ?? 0) + value;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#refresh(at);
  }

  /** One of the values of a point is another by now. */
  replace(at: number, before: number, now: number): void {
    this.#sums[at] = (this.#sums[at] ?? 0) + now - before;
    this.#refresh(at);
  }

  halve(): void {
    const length = Math.ceil(this.#sums.length / 2);
    for (let i = 0; i < length; i++) {
      this.#sums[i] = (this.#sums[2 * i] ?? 0) + (this.#sums[2 * i + 1] ?? 0);
      this.#counts[i] = (this.#counts[2 * i] ?? 0) + (this.#counts[2 * i + 1] ?? 0);
      this.#refresh(i);
    }
    for (const list of [this.#sums, this.#counts, this.#values]) list.length = length;
  }

  /** One number where it never changes. */
  column(): Column {
    const [first] = this.#values;
    return typeof first === 'number' && this.#values.every((value) => value === first) ? first : this.#values.slice();
  }

  #refresh(at: number): void {
    const count = this.#counts[at] ?? 0;
    this.#values[at] = count === 0 ? null : rounded((this.#sums[at] ?? 0) / count);
  }
}

/** Five digits, or six: finer than a pixel, and half the bytes. A page rounds a hundred thousand numbers at a time. */
export function rounded(value: number): number {
  const size = Math.abs(value);
  // Outside, powers of ten are no longer exact.
  if (!(size >= 1e-15 && size < 1e15)) return Number(value.toPrecision(DIGITS));
  const decimals = DIGITS - 1 - Math.floor(Math.log10(size));
  const power = POWERS[Math.abs(decimals)] ?? 1;
  return decimals < 0 ? Math.round(value / power) * power : Math.round(value * power) / power;
}
