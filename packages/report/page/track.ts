/** The points of a run in one line, stage after stage, and where each lies on every axis. */
import type { Column, CompletionsData, ReportData } from '../data.ts';

/** Where those of a run have not come, or are not shown. */
export const NO_COMPLETIONS: CompletionsData = {
  groups: [],
  reasons: [],
  rewardNames: [],
  stepsRecorded: 0,
  stepsKept: 0,
  isEnd: false,
};

export type Axis = 'step' | 'time' | 'tokens';

/** Arrays are [points], ascending. */
export interface Track {
  /** Position in the run's list of stages. */
  readonly stage: readonly number[];
  /** Optimizer steps since the run began: what the cursors of all charts share. */
  readonly step: readonly number[];
  readonly time: readonly number[];
  readonly tokens: readonly number[];
}

/** One curve; `values` are [points of its track], null where there is none. */
export interface Series {
  readonly label: string;
  /** By which it is switched off: of this panel, or of all panels where curves of runs have the label of the run. */
  readonly key: string;
  readonly track: Track;
  readonly values: readonly (number | null)[];
  /** Ends of a band around it. */
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
  /** Few points that are each a measurement: shown as dots. */
  readonly isMeasured?: boolean;
  /** Without noise, so never drawn as an average. */
  readonly isExact?: boolean;
  /** What the palette has for what it means; absent: the colour of its place among the others. */
  readonly color?: string | undefined;
  readonly isDashed?: boolean;
}

/** A run's curves by name. */
export class Curves {
  readonly data: ReportData;
  readonly metrics: Track;
  readonly evaluations: Track;
  /** [stages] steps that were taken before each. */
  readonly offsets: readonly number[];
  readonly #columns = new Map<string, (number | null)[]>();

  constructor(data: ReportData) {
    this.data = data;
    const { stages, evaluations } = data;
    let taken = 0;
    this.offsets = stages.map(({ taken: own }) => {
      const before = taken;
      taken += own;
      return before;
    });
    this.metrics = {
      stage: stages.flatMap(({ steps }, i) => steps.map(() => i)),
      step: stages.flatMap(({ steps }, i) => steps.map((step) => this.position(i, step))),
      time: stages.flatMap(({ seconds }) => seconds),
      tokens: stages.flatMap(({ tokens }) => tokens),
    };
    this.evaluations = {
      stage: evaluations.map(({ stage }) => stage),
      step: evaluations.map(({ stage, step }) => this.position(stage, step)),
      time: evaluations.map(({ seconds }) => seconds),
      tokens: evaluations.map(({ tokens }) => tokens),
    };
  }

  /** Steps since the run began, of a step of a stage. */
  position(stage: number, step: number): number {
    return (this.offsets[stage] ?? 0) + step;
  }

  /** Stage and its own step, of a position; a border belongs to the stage that ends there. */
  place(position: number): { readonly stage: number; readonly step: number } {
    let stage = 0;
    while (stage + 1 < this.offsets.length && position > (this.offsets[stage + 1] ?? 0)) stage++;
    return { stage, step: position - (this.offsets[stage] ?? 0) };
  }

  /** Names of all metrics, in the order of the log. */
  names(): string[] {
    return [...new Set(this.data.stages.flatMap(({ metrics }) => Object.keys(metrics)))];
  }

  has(metric: string): boolean {
    return this.data.stages.some(({ metrics }) => Object.hasOwn(metrics, metric));
  }

  /** The one value that a metric has in the whole run, where it never changes. */
  constant(metric: string): number | undefined {
    const columns = this.data.stages.flatMap(({ metrics }) =>
      Object.hasOwn(metrics, metric) ? [metrics[metric]] : [],
    );
    const [first] = columns;
    return typeof first === 'number' && columns.every((column) => column === first) ? first : undefined;
  }

  /** [points of `metrics`] @param only  null for stages of another kind */
  column(metric: string, only?: string): readonly (number | null)[] {
    const key = `${only ?? ''}|${metric}`;
    const existing = this.#columns.get(key);
    if (existing !== undefined) return existing;
    const column = this.#columnOf(metric, only);
    this.#columns.set(key, column);
    return column;
  }

  #columnOf(metric: string, only?: string): (number | null)[] {
    return this.data.stages.flatMap(({ stage, steps, metrics }) => {
      const isAsked = (only === undefined || only === stage) && Object.hasOwn(metrics, metric);
      const column: Column | undefined = isAsked ? metrics[metric] : undefined;
      return typeof column === 'object' ? [...column] : steps.map(() => column ?? null);
    });
  }
}
