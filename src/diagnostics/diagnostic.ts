/**
 * A diagnostic: a pure function of a stage's history, and words for its finding. It changes neither the run nor a bit
 * of its weights.
 */
import type { Telling } from '../methods/method.ts';
import type { GrpoStageConfig, SftStageConfig, StageConfig } from '../methods/stage.ts';
import type { History } from './history.ts';
import type { BatchRecord, EvaluationRecord, UpdateRecord } from './records.ts';

/**
 * `note`: worth knowing. `warning`: learning is in danger or impossible. `stop`: it ended the run. `withdrawn`: an
 * earlier finding no longer holds.
 */
export type Level = 'note' | 'warning' | 'stop' | 'withdrawn';

/** What is wrong, or may go wrong. */
export interface Diagnosis {
  /** One of DIAGNOSIS_CODES; its anchor in docs/diagnostics.md. */
  readonly code: string;
  readonly level: Level;
  /** The observation, why it matters, and what to do. */
  readonly message: string;
}

/** When a diagnostic is called. `start` is the start of a stage, `batch` a generation batch. */
export type Moment = 'start' | 'batch' | 'update' | 'evaluation';

/** Sentences without their full stop, each with the numbers and keys that it speaks of. */
export interface Finding {
  /** What was seen. */
  readonly seen: string;
  /** Why it matters. */
  readonly why: string;
  /** Which key to change, to which value. */
  readonly remedy: string;
}

/** A figure of the records; `problems` are the keys of the drawn problems, `start` the facts before the first step. */
export type Reading = Exclude<keyof (BatchRecord & UpdateRecord & EvaluationRecord), 'step'> | 'problems' | 'start';

/** `S`: the kinds of stage that it understands. */
export interface Diagnostic<S extends StageConfig = GrpoStageConfig> {
  /** Its name, and its anchor in docs/diagnostics.md. */
  readonly code: string;
  readonly level: 'note' | 'warning';
  readonly after: Moment;
  /** The figures that it needs: it is skipped for a log that lacks one of them. */
  readonly reads: readonly Reading[];
  /** Looks in a row that must find it before it is reported; default 1. */
  readonly patience?: number;
  /** Codes that say more about the same thing: while one of them is reported, this one is not. */
  readonly unless?: readonly string[];
  /** A trait that a method of the stage must have for the finding to apply; absent: it applies to any stage. */
  readonly appliesTo?: Telling;
  /** It names a setting, a reward, data or a verifier that is wrong: while it holds, no method is advised. */
  readonly isCause?: true;
  /** It is of something that happened: to find it no more is no reason to withdraw it. Absent: it is of a state that may end. */
  readonly isEvent?: true;
  /** Whether later observations refute it, so that it is withdrawn at once; called if it is not found. */
  readonly refuted?: (history: History) => boolean;
  /** Its message ends with the batch's commonest wrong answers. */
  readonly showsAnswers?: true;
  /**
   * Its finding after the newest observation, which `history` already holds. `tells`: the traits of the stage's
   * methods.
   */
  readonly look: (history: History, stage: S, tells: ReadonlySet<Telling>) => Finding | undefined;
}

/** The diagnostics of runs. */
export interface DiagnosticList {
  /** Asked before the first step of each stage. */
  readonly start: readonly Diagnostic<StageConfig>[];
  /** Diagnostics of a run under way; a page loads them with the first batch, step or evaluation. */
  load(): Promise<RunDiagnostics>;
}

/** In calling order: those that silence others come first. */
export interface RunDiagnostics {
  readonly grpo: readonly Diagnostic[];
  readonly sft: readonly Diagnostic<SftStageConfig>[];
  /** Codes that say why no group of a batch is live. */
  readonly deadReasons: readonly string[];
}

/** A diagnostic that knows its stage. */
export interface BoundDiagnostic extends Omit<Diagnostic, 'look'> {
  readonly look: (history: History) => ReturnType<Diagnostic['look']>;
}

export function bind<S extends StageConfig>(
  diagnostics: readonly Diagnostic<S>[],
  stage: S,
  tells: ReadonlySet<Telling>,
): BoundDiagnostic[] {
  return diagnostics.map((diagnostic) => ({
    ...diagnostic,
    look: (history) => diagnostic.look(history, stage, tells),
  }));
}

/** The diagnostics of a stage of this kind. @param tells  traits of its methods */
export function diagnosticsFor(
  { grpo, sft }: Pick<RunDiagnostics, 'grpo' | 'sft'>,
  stage: StageConfig,
  tells: ReadonlySet<Telling>,
): BoundDiagnostic[] {
  if (stage.stage === 'sft') return bind<SftStageConfig>(sft, stage, tells);
  const applying = grpo.filter(({ appliesTo }) => appliesTo === undefined || tells.has(appliesTo));
  return bind<GrpoStageConfig>(applying, stage, tells);
}
