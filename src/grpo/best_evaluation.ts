/** What a run remembers of its best evaluation. */
import type { Evaluation } from '../methods/records.ts';
import type { StageConfig } from '../methods/stage.ts';

/** A place in a run. */
export interface Place {
  readonly stageIndex: number;
  readonly stage: StageConfig['stage'];
  /** Optimizer steps of the stage. */
  readonly step: number;
}

/** Where the best evaluation was, and what it found. Plain JSON, part of a run's state. */
export interface BestEvaluation extends Place {
  /** The metric that chose it, as metrics.jsonl names it, and its value. */
  readonly metric: string;
  readonly value: number;
  readonly evaluation: Evaluation;
  /** SHA-256 of the file that keeps its weights; absent where none does. */
  readonly fileSha256?: string;
}
