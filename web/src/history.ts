/**
 * The curves of a run: grows with its events, and is read back from the lines of metrics.jsonl.
 *
 * However long a run is, a curve has fewer than `MOST_POINTS` points: when it has as many, neighbours are averaged, and
 * from there on a point stands for twice as many steps.
 */
import type { BrowserEvent, OpenedRun } from 'rlvr-train/web';
import { lineKind } from '../../src/run/logs/line_kind.ts';

/** Curves over steps, by their name here; null where no step of a point has a value. */
const CURVES = ['reward', 'entropy', 'length', 'kl', 'loss'] as const;
export type Curve = (typeof CURVES)[number];

/** Points of a curve, twice as many as a chart has room for; even. A preset of the page has fewer steps of a stage. */
export const MOST_POINTS = 800;

/** Keys of metrics.jsonl. */
const KEYS: Readonly<Record<Curve, string>> = {
  reward: 'reward',
  entropy: 'entropy',
  length: 'completions/mean_length',
  kl: 'kl',
  loss: 'loss',
};

/** A share of the held-out problems with its 95 % interval. */
export interface Share {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Accuracy {
  readonly x: number;
  readonly greedy: Share;
  readonly sampled: Share;
  /** pass@K of K samples; null for a single one. */
  readonly pass: Share | null;
}

type Line = Readonly<Record<string, unknown>>;

export class History {
  /** The last step of each point, counted from the start of the run over all stages. */
  readonly x: number[] = [];
  /** Means over the steps of a point. */
  readonly curves: Readonly<Record<Curve, (number | null)[]>> = perCurve(() => []);
  /** The last value of each curve, of one step. */
  readonly latest: Record<Curve, number | null> = perCurve(() => null);
  readonly accuracies: Accuracy[] = [];
  /** Where each stage begins. */
  readonly edges: readonly number[];
  stages: OpenedRun['stages'];
  total: number;
  /** Values so far: a curve that was drawn at the same number looks the same. */
  readonly revisions: Record<Curve | 'accuracy', number> = { ...perCurve(() => 0), accuracy: 0 };
  /** Steps that a point stands for, those of the last point so far, and how many of their lines have a value. */
  #width = 1;
  #taken = 0;
  /** The last step has lines of batches alone so far: it is yet to be taken. */
  #isOpen = false;
  readonly #known: Record<Curve, number> = perCurve(() => 0);

  constructor(stages: OpenedRun['stages'], lines: readonly Line[] = []) {
    this.stages = stages;
    let at = 0;
    this.edges = stages.map(({ maxSteps }) => {
      const begin = at;
      at += maxSteps;
      return begin;
    });
    this.total = at;
    for (const line of lines) this.#line(line);
  }

  /** Steps since the start of the run; 0 before the first. */
  get step(): number {
    return this.#last - (this.#isOpen ? 1 : 0);
  }

  get #last(): number {
    return this.x.at(-1) ?? 0;
  }

  /** The last stage takes more steps than it had. */
  lengthen(steps: number): void {
    this.total += steps;
    this.stages = this.stages.map((one, i) =>
      i === this.stages.length - 1 ? { ...one, maxSteps: one.maxSteps + steps } : one,
    );
    for (const curve of [...CURVES, 'accuracy'] as const) this.revisions[curve]++;
  }

  /** Steps since the start of the run. */
  place(stage: unknown, step: number): number {
    const index = this.stages.findIndex((one) => one.stage === stage);
    return (this.edges[index] ?? 0) + step;
  }

  hear(event: BrowserEvent): void {
    if (event.type === 'step' || event.type === 'batch') this.#line(event.metrics);
    if (event.type === 'evaluation') {
      const { accuracy: greedy, meanAtK: sampled, passAtK, samples } = event.evaluation;
      const pass = (samples > 1 && passAtK[samples]) || null;
      this.#accuracy({ x: this.place(event.stage, event.step), greedy, sampled, pass });
    }
  }

  #line(line: Line): void {
    const x = this.place(line.stage, Number(line.step));
    const kind = lineKind(line);
    if (kind === 'diagnosis') return;
    if (kind === 'evaluation') {
      const sampled = Object.keys(line).find((key) => /^eval_mean@\d+$/.test(key)) ?? '';
      const passed = sampled.replace('mean', 'pass');
      const pass = sampled.endsWith('@1') || line[passed] === undefined ? null : shareOf(line, passed);
      this.#accuracy({ x, greedy: shareOf(line, 'eval_accuracy'), sampled: shareOf(line, sampled), pass });
      return;
    }
    if (!(this.#isOpen && this.#last === x)) {
      while (this.#last >= x && this.x.length > 0) this.#drop();
      this.#extend(x);
    }
    this.#isOpen = kind === 'batch';
    for (const name of CURVES) {
      const value = line[KEYS[name]];
      if (typeof value === 'number' && Number.isFinite(value)) this.#add(name, value);
    }
  }

  /** A step that is taken again, after a return to what was saved. The rest of its point goes with it. */
  #drop(): void {
    this.x.pop();
    for (const name of CURVES) this.curves[name].pop();
    this.#taken = this.#width;
  }

  /** Makes room for a step: in the last point, or in one of its own. */
  #extend(x: number): void {
    if (this.x.length > 0 && this.#taken < this.#width) {
      this.x[this.x.length - 1] = x;
      this.#taken++;
      return;
    }
    if (this.x.length === MOST_POINTS) this.#halve();
    this.x.push(x);
    this.#taken = 1;
    for (const name of CURVES) {
      this.curves[name].push(null);
      this.#known[name] = 0;
    }
  }

  /** Into the mean of the last point. */
  #add(name: Curve, value: number): void {
    const curve = this.curves[name];
    const before = curve.at(-1) ?? 0;
    curve[curve.length - 1] = before + (value - before) / ++this.#known[name];
    this.latest[name] = value;
    this.revisions[name]++;
  }

  /** Two points become one. */
  #halve(): void {
    const points = this.x.length / 2;
    for (let i = 0; i < points; i++) this.x[i] = this.x[2 * i + 1] as number;
    this.x.length = points;
    for (const name of CURVES) {
      const curve = this.curves[name];
      for (let i = 0; i < points; i++) curve[i] = mean(curve[2 * i] ?? null, curve[2 * i + 1] ?? null);
      curve.length = points;
    }
    this.#width *= 2;
  }

  #accuracy(accuracy: Accuracy): void {
    const { accuracies } = this;
    while (accuracies.length > 0 && (accuracies.at(-1) as Accuracy).x >= accuracy.x) accuracies.pop();
    accuracies.push(accuracy);
    // Every other one, the first and the last among them.
    if (accuracies.length > MOST_POINTS) {
      accuracies.splice(0, accuracies.length, ...accuracies.filter((_, i) => i % 2 === 0));
    }
    this.revisions.accuracy++;
  }
}

function shareOf(line: Line, key: string): Share {
  return { mean: Number(line[key]), low: Number(line[`${key}_low`]), high: Number(line[`${key}_high`]) };
}

function perCurve<T>(make: () => T): Record<Curve, T> {
  return { reward: make(), entropy: make(), length: make(), kl: make(), loss: make() };
}

function mean(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : (a + b) / 2;
}
