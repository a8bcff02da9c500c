/** The curves of a run: grows with its events, and is read back from the lines of metrics.jsonl. */
import type { BrowserEvent, OpenedRun } from 'rlvr-train/web';

/** Curves over steps, by their name here; null where a step has no value. */
export const CURVES = ['reward', 'entropy', 'length', 'kl', 'loss'] as const;
export type Curve = (typeof CURVES)[number];

/** Keys of metrics.jsonl. */
const KEYS: Readonly<Record<Curve, string>> = {
  reward: 'reward',
  entropy: 'entropy',
  length: 'completions/mean_length',
  kl: 'kl',
  loss: 'loss',
};

export interface Accuracy {
  readonly x: number;
  readonly greedy: number;
  readonly sampled: number;
}

type Line = Readonly<Record<string, unknown>>;

export class History {
  /** Steps since the start of the run, over all stages. */
  readonly x: number[] = [];
  readonly curves: Readonly<Record<Curve, (number | null)[]>> = {
    reward: [],
    entropy: [],
    length: [],
    kl: [],
    loss: [],
  };
  readonly accuracies: Accuracy[] = [];
  /** Where each stage begins. */
  readonly edges: readonly number[];
  readonly total: number;
  readonly #stages: OpenedRun['stages'];

  constructor(stages: OpenedRun['stages'], lines: readonly Line[] = []) {
    this.#stages = stages;
    let at = 0;
    this.edges = stages.map(({ maxSteps }) => {
      const begin = at;
      at += maxSteps;
      return begin;
    });
    this.total = at;
    for (const line of lines) this.#line(line);
  }

  /** Steps since the start of the run. */
  place(stage: unknown, step: number): number {
    const index = this.#stages.findIndex((one) => one.stage === stage);
    return (this.edges[index] ?? 0) + step;
  }

  hear(event: BrowserEvent): void {
    if (event.type === 'step') this.#line(event.metrics);
    if (event.type === 'evaluation') {
      const { accuracy, meanAtK } = event.evaluation;
      this.#accuracy(this.place(event.stage, event.step), accuracy.mean, meanAtK.mean);
    }
  }

  #line(line: Line): void {
    const x = this.place(line.stage, Number(line.step));
    if (line.evaluation !== undefined) {
      const sampled = Object.entries(line).find(([key]) => /^eval_mean@\d+$/.test(key))?.[1];
      this.#accuracy(x, Number(line.eval_accuracy), Number(sampled));
      return;
    }
    if (typeof line.step_time !== 'number') return; // what was said of the run
    while (this.x.length > 0 && (this.x.at(-1) as number) >= x) this.#drop();
    this.x.push(x);
    for (const name of CURVES) {
      const value = line[KEYS[name]];
      this.curves[name].push(typeof value === 'number' && Number.isFinite(value) ? value : null);
    }
  }

  /** A step that is taken again, after a return to what was saved. */
  #drop(): void {
    this.x.pop();
    for (const name of CURVES) this.curves[name].pop();
  }

  #accuracy(x: number, greedy: number, sampled: number): void {
    while (this.accuracies.length > 0 && (this.accuracies.at(-1) as Accuracy).x >= x) this.accuracies.pop();
    this.accuracies.push({ x, greedy, sampled });
  }
}
