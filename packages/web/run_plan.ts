/** What a run would take of this device, as a page asks before it opens one. Plain data. */
import type { OpenOptions } from './browser_run.ts';
import type { BackendReport } from './choose_backend.ts';

/** The job, whose model is kept in this browser or begins with random weights. */
export type PlanOptions = Pick<OpenOptions, 'yaml' | 'backend'>;

/** Memory and time, before anything is opened. Plain data. */
export interface RunPlan {
  readonly backend: BackendReport;
  /** Those of the model; `trained`: those that are trained. */
  readonly parameters: number;
  readonly trained: number;
  /** Bytes by purpose: exact for the engine's buffers, measured for the rest. */
  readonly memory: ReadonlyMap<string, number>;
  /** Sum of them. */
  readonly bytes: number;
  /** [stages] about: rows of a step times what a row of a model of this width took, within some tenths. */
  readonly secondsPerStep: readonly number[];
  /** All steps and evaluations. */
  readonly seconds: number;
}
