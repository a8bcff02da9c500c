/**
 * Where a run is, and how long it has taken: counters, evaluations, the rollouts at hand. With what methods and the ledger
 * keep and the policy's vectors, it decides what happens next; a checkpoint holds exactly these.
 */

import { startWatch, type Watch } from '../diagnostics/watch.ts';
import type { Observation } from '../methods/ledger.ts';
import type { CreditedGroup, Evaluation, Seconds, StepMetrics } from '../methods/records.ts';
import type { Settings } from '../methods/settings.ts';
import type { BestEvaluation } from './best_evaluation.ts';

/** Rollouts that still have optimizer steps to give: with several iterations or minibatches per batch. */
export interface Buffer {
  readonly groups: readonly CreditedGroup[];
  /** Optimizer steps already taken on them. */
  readonly stepsTaken: number;
  /** At which they were sampled, where it was not that of the config. */
  readonly temperature?: number;
  /** Version of the weights that sampled them, in a stage whose batches wait. */
  readonly weightsVersion?: number;
  /** What the ledger learns of them once they are trained on. */
  readonly observations?: readonly Observation[];
}

/** What controllers have done that holds from step to step. */
export interface Steering {
  /** Numbers set in this stage, by the spelling of the YAML. */
  readonly settings: Settings;
  /** Step of this stage after which the optimizer's moments began. */
  readonly momentsFrom: number;
  /** Stages that ended before their last step. */
  readonly endings: readonly StageEnding[];
}

export interface StageEnding {
  readonly stageIndex: number;
  /** Steps that were taken. */
  readonly step: number;
  readonly reason: string;
}

/** Progress of a run; at a step boundary it is all that a resume needs besides the policy's vectors. */
export interface RunState {
  stageIndex: number;
  /** Optimizer steps taken in this stage. */
  step: number;
  /** What comes before the first step of this stage is done: remarks, parameter sets, the baseline. */
  isBegun: boolean;
  /** Metrics of the newest step, while the evaluation after it is due: it is reported once that is done. */
  unreported: StepMetrics | undefined;
  /** Training items drawn so far: the data cursor. */
  itemsDrawn: number;
  /** Rollouts sampled so far: numbers that key the random draws. */
  rolloutsDrawn: number;
  /** Completion tokens seen so far, sampled or demonstrated. */
  tokens: number;
  /** Generation batches in a row without a single live group. */
  deadBatches: number;
  /** Before the first grpo step, and after the last. */
  baseline: Evaluation | undefined;
  final: Evaluation | undefined;
  /** By the config's metric; its weights are the session's to keep. */
  best: BestEvaluation | undefined;
  buffer: Buffer | undefined;
  /** Batches that wait to be trained on, oldest first; between two steps as many as the stage's `staleness`, at most. */
  queue: readonly Buffer[];
  steering: Steering;
  seconds: Seconds;
  /** What the diagnostics remember: it decides what is said, never what is done. */
  watch: Watch;
}

/** The state of a run, and the clock that its seconds are counted by. */
export interface Journal {
  readonly state: RunState;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
}

export function initialState(): RunState {
  const seconds = { sft: 0, rollout: 0, verify: 0, update: 0, eval: 0 };
  return {
    stageIndex: 0,
    step: 0,
    isBegun: false,
    unreported: undefined,
    itemsDrawn: 0,
    rolloutsDrawn: 0,
    tokens: 0,
    deadBatches: 0,
    baseline: undefined,
    final: undefined,
    best: undefined,
    buffer: undefined,
    queue: [],
    steering: { settings: {}, momentsFrom: 0, endings: [] },
    seconds,
    watch: startWatch(seconds),
  };
}

/** Whether a controller has ended the stage under way. */
export function endingOf({ steering, stageIndex }: RunState): StageEnding | undefined {
  return steering.endings.find((ending) => ending.stageIndex === stageIndex);
}

/** Runs `work` and adds its wall-clock to one activity. */
export async function timed<T>({ state, clock }: Journal, activity: keyof Seconds, work: () => Promise<T>): Promise<T> {
  const start = clock();
  try {
    return await work();
  } finally {
    state.seconds[activity] += (clock() - start) / 1000;
  }
}
