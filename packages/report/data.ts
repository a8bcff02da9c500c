/**
 * What the report's page gets of a run, embedded as JSON: columns, rounded and thinned so that a page stays below a
 * megabyte however long the run was. Written by `series.ts` and `completion_groups.ts`, read by `page/`.
 */
import type { Provenance } from '../../src/run/logs/provenance.ts';
import type { FleetLine } from '../fleet/fleet_log.ts';
import type { Outline } from './outline.ts';

/** One stage's curves. Arrays are [points]; a point stands for `stepsPerPoint` optimizer steps. */
export interface StageData {
  readonly stage: string;
  /** Position in the config's list of stages. */
  readonly index: number;
  readonly stepsPerPoint: number;
  /** The last optimizer step that was taken: a last point may be of batches that were drawn for the next one. */
  readonly taken: number;
  /** Last optimizer step of each point, counted within the stage. */
  readonly steps: readonly number[];
  /** Seconds of training steps since the run began, evaluations apart. */
  readonly seconds: readonly number[];
  /** Completion tokens since the run began. */
  readonly tokens: readonly number[];
  /** Mean over the steps of a point, null where none of them has a finite value; one number where it never changes. */
  readonly metrics: Readonly<Record<string, Column>>;
}

export type Column = number | readonly (number | null)[];

/** Mean, and the 95 % interval around it. */
export type Interval = readonly [mean: number, low: number, high: number];

export interface EvaluationData {
  /** Position in `stages` of the stage that was under way. */
  readonly stage: number;
  readonly step: number;
  readonly seconds: number;
  readonly tokens: number;
  readonly greedy: Interval | null;
  readonly sampled: Interval | null;
  /** pass@K, where K > 1 samples were drawn. */
  readonly pass: Interval | null;
  readonly samples: number;
  /** Further figures, by name; absent: none. */
  readonly figures?: Readonly<Record<string, Interval>>;
  /** Seconds that it took; null where the log is older than that figure. */
  readonly runtime: number | null;
}

/** A diagnosis with everything that the run said of it. */
export interface DiagnosisData {
  readonly code: string;
  /** Position in `stages`. */
  readonly stage: number;
  readonly firstStep: number;
  readonly lastStep: number;
  readonly times: number;
  /** As first said. */
  readonly message: string;
  /** Step at which it was withdrawn; absent: it holds. */
  readonly withdrawn?: number;
  /** Steps to mark in the curves: all, or some evenly spread. */
  readonly marks: readonly number[];
}

/** One completion: texts are positions in the lists of `CompletionsData`. */
export type Member = readonly [
  text: string,
  verdict: Verdict,
  reason: number,
  /** null: no reward function applied. */
  reward: number | null,
  advantage: number,
  /** One per name of `rewardNames`; absent where there is only one, null where it is and something follows. */
  parts?: readonly (number | null)[] | null,
  /** Where it was not simply sampled under the prompt of its group; null where it was and something follows. */
  provenance?: Provenance | null,
  /** What the reward functions have logged of it, by column: as texts. */
  extra?: readonly (readonly [column: string, value: string])[],
];

export type Verdict = 'right' | 'wrong' | 'truncated';

export interface GroupData {
  readonly stage: number;
  readonly step: number;
  /** Its number among the groups of this step that the run recorded. */
  readonly group: number;
  readonly prompt: string;
  readonly members: readonly Member[];
}

export interface CompletionsData {
  readonly groups: readonly GroupData[];
  readonly reasons: readonly string[];
  readonly rewardNames: readonly string[];
  /** Steps with completions in the run directory, and how many of them are here. */
  readonly stepsRecorded: number;
  readonly stepsKept: number;
  /** Whether the log has more before these: of a long one, the end alone was read. */
  readonly isEnd: boolean;
}

export interface ReportData {
  readonly stages: readonly StageData[];
  readonly evaluations: readonly EvaluationData[];
  readonly diagnoses: readonly DiagnosisData[];
  readonly completions: CompletionsData;
}

/** What a page that a server makes gets of a run, whose log it then reads as it grows. */
export interface ServedRun {
  /** In addresses of the server. */
  readonly name: string;
  /** What people call it: its name, where they gave it no other. */
  readonly title: string;
  /** What they wrote about it; may be empty. */
  readonly note: string;
  /** What its config says that the page shows. */
  readonly outline: Outline;
  /** Whether a process worked on it when the page was made. */
  readonly isRunning: boolean;
  readonly seed: number | null;
  /** The same for runs whose configs differ in the seed alone. */
  readonly group: string;
  /** Keys in which the configs of the runs of this page differ, with their values in this one. */
  readonly differs: Readonly<Record<string, string>>;
}

/** A run as the server lists it. */
export interface ListedRun {
  /** In addresses of the server. */
  readonly name: string;
  readonly condition: 'running' | 'finished' | 'stopped' | 'failed' | 'damaged';
  readonly problem: string | null;
  /** What people call it, and wrote about it; both may be empty. */
  readonly title: string;
  readonly note: string;
  readonly task: string | null;
  readonly seed: number | null;
  readonly steps: { readonly done: number; readonly planned: number } | null;
  /** How long a run under way will still take, or its stage where one of another kind follows. */
  readonly left: { readonly seconds: number; readonly next?: string } | null;
  readonly greedy: number | null;
  readonly sampled: number | null;
  /** Milliseconds since 1970. */
  readonly changedMs: number;
  readonly bytes: number;
  /** Keys of the config that differ from other runs of the task, with their values here. */
  readonly differs: Readonly<Record<string, string>>;
}

/** What a page is, and what it carries: `report` and `comparison` are complete in themselves, the others ask the server that made them. */
export type PageData =
  | ({ readonly page: 'report' } & ReportData)
  | { readonly page: 'run'; readonly run: ServedRun }
  | { readonly page: 'overlay'; readonly runs: readonly ServedRun[] }
  | { readonly page: 'runs' }
  | { readonly page: 'comparison' };

/** What a page gets of a run besides its log. */
export interface RunState {
  /** `over`: no process works on it, and it has not finished. */
  readonly condition: 'running' | 'finished' | 'over';
  /** What was asked of it last; null where it cannot be asked. */
  readonly asked: 'nothing' | 'evaluation' | 'evaluating' | 'pause' | 'paused' | 'stop' | null;
  /** Why it cannot be asked. */
  readonly reason: string | null;
  /** What other machines have done for it so far; null where it has had no fleet. */
  readonly fleet: FleetLine | null;
}
