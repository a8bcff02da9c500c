/**
 * A run in a browser, as a page sees it: the same interface whether the engine is in a worker (`openRunInWorker`,
 * what a page wants) or in the caller's own thread (`openRunHere`).
 */
import type { CreditedGroup, Evaluation } from '../../src/methods/records.ts';
import type { ExtraValue } from '../../src/rewards/reward_log.ts';
import type { Verdict } from '../../src/rewards/verdict.ts';
import type { SettingChange } from '../../src/run/checkpoint/setting_changes.ts';
import type { SessionEvent } from '../../src/run/session.ts';
import type { ExportTarget } from '../models/run/model/exports.ts';
import type { AnswerSearch } from '../zoo/methods/support/figures/read_tries.ts';
import type { BrowserBlob } from './browser_types.ts';
import type { BackendReport, BackendRequest } from './choose_backend.ts';

/** What to open. Plain data: it crosses to a worker. */
export interface OpenOptions {
  /** The job, as the command line reads it. */
  readonly yaml: string;
  /** Name under which the run is kept. One that is there is continued. Letters, digits, `.`, `_`, `-`. */
  readonly name: string;
  readonly backend?: BackendRequest;
  /** JavaScript of rewards by the name that `reward_funcs` gives them; each runs in a worker of its own. */
  readonly rewards?: Readonly<Record<string, string>>;
  /** JavaScript of the task, where the YAML says `task: {name: yours}`; it runs in a worker of its own as a reward does. */
  readonly task?: string;
  /** Texts by file name, for `task: {name: dataset}`; the run keeps them, so a later call may leave them out. */
  readonly data?: Readonly<Record<string, string>>;
  /** Milliseconds between two `sampling` events, at least; absent: there are none. */
  readonly samplingMs?: number;
  /** A saved run by path, as `files` gives it, to begin with where none of this name is kept. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /**
   * The files take the place of what is kept under this name: once all of them were found whole and the run was opened
   * from them. Until then nothing that is kept is touched. Default false.
   */
  readonly replaces?: boolean;
  /** Most groups of a `rollouts` event that are handed on; default 4. */
  readonly groups?: number;
  /** Least milliseconds between two `rollouts` events that are handed on: those of steps in between are not; default 0. */
  readonly rolloutsMs?: number;
}

/** The events of `session`, with rollouts made smaller, and what only a browser has to say. */
export type BrowserEvent =
  | Exclude<SessionEvent, { readonly type: 'rollouts' }>
  | {
      readonly type: 'rollouts';
      readonly step: number;
      /** The first groups of the batch. */
      readonly groups: readonly CreditedGroup[];
      /** [groups][rollouts] the tries of each answer; undefined where answers do not search. */
      readonly searches: readonly (readonly AnswerSearch[] | undefined)[];
      /** Texts of the tokens in them, by id: those of a pretrained model, which `OpenedRun.vocabulary` leaves out. */
      readonly tokenTexts: Readonly<Record<number, string>>;
    }
  /** Completions as they are sampled. */
  | ({ readonly type: 'sampling' } & Sampling)
  /** The run began to train, or rests. */
  | { readonly type: 'status'; readonly status: RunStatus }
  /** Storage refused: the run is in memory from here on. */
  | { readonly type: 'storage'; readonly storage: StorageReport };

/** A batch of completions under way. Plain data. */
export interface Sampling {
  /** What asks: a training batch, an evaluation's best guesses or its tries, or `ask`. */
  readonly asks: 'training' | 'greedy' | 'sampled' | 'visitor';
  /** Completions of the batch, and those that have ended. */
  readonly completions: number;
  readonly ended: number;
  /** The first of them, as far as they are. */
  readonly texts: readonly { readonly prompt: string; readonly text: string }[];
}

/** `resting`: opened, paused or stopped at a step boundary, and ready to continue; `finished`: all its steps are taken. */
export type RunStatus = 'resting' | 'training' | 'finished';

/** Where the run is kept. */
export interface StorageReport {
  readonly kind: 'kept' | 'memory';
  /** Why it is in memory only; empty where it is kept. */
  readonly reason: string;
}

/** What an opened run is. Plain data. */
export interface OpenedRun {
  readonly backend: BackendReport;
  readonly storage: StorageReport;
  readonly status: RunStatus;
  readonly task: string;
  readonly stages: readonly { readonly stage: 'sft' | 'grpo'; readonly maxSteps: number }[];
  /** Its progress: [stage, steps taken in it]. */
  readonly stageIndex: number;
  readonly step: number;
  readonly parameters: number;
  /** Bytes of the engine. */
  readonly memoryBytes: number;
  readonly problems: { readonly train: number | null; readonly heldOut: number };
  /** Held-out problems to ask, with an answer. */
  readonly examples: readonly { readonly prompt: string; readonly answer: string }[];
  /** Text of every token, by id; empty for a pretrained model, which has too many. */
  readonly vocabulary: readonly string[];
  /** Lines of metrics.jsonl up to here. */
  readonly metrics: readonly Readonly<Record<string, unknown>>[];
  /** Changes of the settings since the start; `change` makes them. */
  readonly changes: readonly SettingChange[];
  readonly notes: readonly string[];
}

export { CHANGEABLE, type Changeable, type SettingChange } from '../../src/run/checkpoint/setting_changes.ts';

/** One completion of a question. */
export interface Answer {
  readonly text: string;
  readonly tokens: Int32Array;
  /** [tokens] log-prob of each, tempered. */
  readonly logprobs: Float32Array;
  /** Verdict where the prompt is a problem of the task; undefined for any other text. */
  readonly verdict?: Verdict | undefined;
}

/** How a prompt is answered. */
export interface AskOptions {
  /** Default 1. 0: greedy. */
  readonly temperature?: number;
  /** Default 1. */
  readonly samples?: number;
  /** Default 0. */
  readonly seed?: number;
  /**
   * The policy answers as it was before the first step; default false. @throws ConfigError where all weights of a
   * pretrained model are trained
   */
  readonly base?: boolean;
  /** Tokens that every answer begins with, which are then read by no verifier; default none. */
  readonly begun?: Int32Array;
}

/** What each head looks at where a token is written: in the policy as it is, or as it was before the first step. */
export interface Attention {
  /** Prompt and answer before that token: what can be looked at. */
  readonly tokens: Int32Array;
  /** [layers] of [heads × tokens] shares, those of a head one after the other; they sum to 1. */
  readonly layers: readonly Float32Array[];
}

/** A completion of a training problem with everything that a reward is made of. */
export interface TriedCompletion {
  readonly prompt: string;
  readonly text: string;
  readonly verdict: Verdict;
  readonly reward: number | null;
  /** What the reward logged of it, by column. */
  readonly extra?: Readonly<Record<string, ExtraValue>>;
}

/** What is wrong with a task, or may be. `stop`: training on it would teach something else than what it asks. */
export interface CheckFinding {
  readonly level: 'stop' | 'warn';
  readonly text: string;
}

/** A visitor's task, as it was found. */
export interface CheckedTask {
  readonly examples: readonly { readonly prompt: string; readonly answer: string }[];
  /** Different ones. */
  readonly problems: { readonly train: number; readonly heldOut: number };
  /** Share of the held-out problems that one constant answer solves. */
  readonly chance: number;
  /** Empty where all is well. */
  readonly findings: readonly CheckFinding[];
}

/** How long it will take here, measured on throw-away weights. */
export interface BrowserEstimate {
  readonly seconds: number;
  readonly secondsPerStep: readonly number[];
  readonly secondsPerEvaluation: number;
}

/**
 * An open run. What is asked during a training is done at the next step boundary, and changes no bit of what follows
 * (`change` and `step` apart). Every method rejects with an RlvrError whose message is made for people.
 */
export interface BrowserRun {
  readonly opened: OpenedRun;
  /** @returns removes the listener */
  listen(listener: (event: BrowserEvent) => void): () => void;
  /** Trains, for `steps` or to the end. Resolves when the run rests, saved. */
  train(options?: { readonly steps?: number }): Promise<RunStatus>;
  /** Asks a training to rest, as soon as it may (`SessionOptions.signal`); resolves when it does, saved. */
  pause(): Promise<void>;
  /** Held-out accuracy of the policy as it is now. Also an event. */
  evaluate(): Promise<Evaluation>;
  /** What the policy answers. @throws DataError for a prompt that is no text of the task, or too long */
  ask(prompt: string, options?: AskOptions): Promise<readonly Answer[]>;
  /**
   * What the heads look at where the last token of `answer` is written. @param answer  tokens, at least one
   * @throws ConfigError as `ask` with `base`
   */
  attention(prompt: string, answer: Int32Array, options?: Pick<AskOptions, 'base'>): Promise<Attention>;
  /**
   * Changes settings of the grpo stages; a resting run only. Kept with the run, so that its history can be seen.
   * A larger `max_steps` takes a finished run further; schedules run over all steps from then on.
   */
  change(settings: SettingChange['settings']): Promise<void>;
  /**
   * Scores completions by a reward's code, which is thereby checked: new ones of training problems, which waits until
   * nothing is trained, or those of a group that the run has handed out, at once.
   */
  tryReward(code: string, completions: number | CreditedGroup): Promise<readonly TriedCompletion[]>;
  /** Draws problems of a task's code and tries its verifier on right, wrong and absurd answers. The run is untouched. */
  checkTask(code: string): Promise<CheckedTask>;
  /** Time of the whole run on this device. Trains throw-away weights for some seconds. */
  estimate(): Promise<BrowserEstimate>;
  /** SHA-256 of all weights, as summary.json has it. */
  weightsSha256(): Promise<string>;
  /** config.yaml and the model, by path, as `rlvr-train sample --run` reads them. */
  exportModel(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>>;
  /**
   * The model in a form for other programs, opened again and compared with what it was made of: files by their path, read
   * from the browser's own file system as they are used. Those of an earlier call are gone.
   *
   * @param dtype  how weights are stored; default: the form's first
   * @throws CheckpointError where the form has no such type, or what was written is not the model
   */
  exportAs(form: ExportTarget, dtype?: string): Promise<ReadonlyMap<string, BrowserBlob>>;
  /** Every file of the run directory, by path. */
  files(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>>;
  close(): Promise<void>;
}
