/** What a run would take of this device, as a page asks before it opens one. Plain data. */
import type { Storage } from '../../src/kernels/storage.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import type { OpenOptions } from './browser_run.ts';
import type { BackendReport } from './choose_backend.ts';

/** The job, whose model is kept in this browser or begins with random weights. */
export type PlanOptions = Pick<OpenOptions, 'yaml' | 'backend' | 'data'>;

/** A model that was not fetched yet: what a plan reads of it. Plain data. */
export interface ModelSketch {
  readonly shape: ModelShape;
  /** Longest sequence that it was trained for, in tokens. */
  readonly context: number;
  /** How its file has the matrices of the layers. */
  readonly storage: Storage;
  /** The same of the head, or of the embedding where that is the head; default: as `storage`. */
  readonly head?: Storage;
}

/** The same job for several models that were not fetched. */
export interface SketchOptions extends Pick<PlanOptions, 'yaml' | 'backend'> {
  readonly models: readonly ModelSketch[];
}

/** Why a job does not fit this device. Plain data. */
export interface PlanRefusal {
  readonly refused: string;
  /** Bytes that it needs, and those that there are. */
  readonly bytes: number;
  readonly available: number;
}

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
  /** Bytes that a tab may use, as far as the browser tells: half of the device's memory, at most 4 GiB. */
  readonly available: number;
  /** [stages] about: rows of a step times what a row of a model of this width took, within some tenths. */
  readonly secondsPerStep: readonly number[];
  /** [stages] of one evaluation, likewise. */
  readonly secondsPerEvaluation: readonly number[];
  /** All steps and evaluations. */
  readonly seconds: number;
  /** Different problems; train: null where they cannot be counted. */
  readonly problems: { readonly train: number | null; readonly heldOut: number };
  /** The first training problems as the model reads them, with all control tokens, and an answer. */
  readonly examples: readonly { readonly prompt: string; readonly answer: string }[];
  /** What was noticed about the task's rows. */
  readonly notes: readonly string[];
}
