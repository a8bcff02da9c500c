/** The events of a training run. The terminal, the run directory, a web page and the tests listen to them. */

import type { Diagnosis } from '../diagnostics/diagnostic.ts';
import type { ProblemRecord } from '../methods/points.ts';
import type { Collected, CreditedGroup, Evaluation, StepMetrics } from '../methods/records.ts';

/** `requested`: by the user; a session asks for it, never the trainer. */
export type EvaluationMoment = 'baseline' | 'periodic' | 'final' | 'requested';

/** What a run tells while it trains, in order. */
export type TrainEvent =
  /** A stage begins, or continues after a resume. */
  | {
      readonly type: 'stage';
      readonly stage: 'sft' | 'grpo';
      readonly index: number;
      readonly step: number;
      readonly maxSteps: number;
    }
  /**
   * A periodic one comes before the `step` event of its step, so that a listener that stops or saves there has it. The
   * final one comes after the last `step`; a run that was stopped between the two makes it on resume.
   */
  | {
      readonly type: 'evaluation';
      readonly moment: EvaluationMoment;
      readonly stage: 'sft' | 'grpo';
      readonly step: number;
      readonly evaluation: Evaluation;
      /** The answers, problem by problem. */
      readonly problems: readonly ProblemRecord[];
      /** Duration of the evaluation. */
      readonly seconds: number;
    }
  /** A generation batch was sampled and verified; `step` is the optimizer step that it is for. */
  | {
      readonly type: 'rollouts';
      readonly step: number;
      readonly collected: Collected;
      readonly groups: readonly CreditedGroup[];
    }
  /**
   * A generation batch that no step follows at once: it has no live group, or waits for its step. `metrics` is its line
   * of metrics.jsonl, without a loss; other batches are part of the `step` event after them.
   */
  | { readonly type: 'batch'; readonly stage: 'grpo'; readonly step: number; readonly metrics: StepMetrics }
  /** Says in words what keeps the run from learning. Level `stop` is thrown right after. */
  | {
      readonly type: 'diagnosis';
      readonly stage: 'sft' | 'grpo';
      readonly step: number;
      readonly diagnosis: Diagnosis;
    }
  /** An optimizer step was taken. The run is at rest: a listener may checkpoint or stop it here. */
  | { readonly type: 'step'; readonly stage: 'sft' | 'grpo'; readonly step: number; readonly metrics: StepMetrics }
  | { readonly type: 'end'; readonly step: number };

export type EvaluationEvent = Extract<TrainEvent, { type: 'evaluation' }>;
