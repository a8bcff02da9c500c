/**
 * Where a run is and how long it has taken: counters, evaluations, the rollouts at hand. Together with the state of
 * methods and ledger and the policy's vectors it decides what happens next; a checkpoint holds exactly these.
 */

import { startWatch, type Watch } from '../diagnostics/watch.ts';
import type { Observation } from '../methods/ledger.ts';
import type { CreditedGroup, Evaluation, Seconds, StepMetrics } from '../methods/records.ts';
import type { Settings } from '../methods/settings.ts';
import type { BestEvaluation } from './best_evaluation.ts';

/** Rollouts with optimizer steps left, from several iterations or minibatches per batch. */
export interface Buffer {
  readonly groups: readonly CreditedGroup[];
  /** Optimizer steps already taken on them. */
  readonly stepsTaken: number;
  /** Their sampling temperature, if it was not the config's. */
  readonly temperature?: number;
  /** Version of the weights that sampled them, in a stage whose batches wait. */
  readonly weightsVersion?: number;
  /** Observations that the ledger records once they are trained on. */
  readonly observations?: readonly Observation[];
}

/** What controllers have done that holds from step to step. */
export interface Steering {
  /** Numbers set in this stage, by YAML key. */
  readonly settings: Settings;
  /** Step of this stage at which the optimizer's moments were zeroed. */
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

/** Progress of a run: at a step boundary, all that a resume needs besides the policy's vectors. */
export interface RunState {
  stageIndex: number;
  /** Optimizer steps taken in this stage. */
  step: number;
  /** Remarks, parameter sets and the baseline, which precede this stage's first step, are done. */
  isBegun: boolean;
  /** Metrics of the newest step, reported only after its evaluation. */
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
  /** Batches that wait to be trained on, oldest first; at most `staleness` of them between two steps. */
  queue: readonly Buffer[];
  steering: Steering;
  seconds: Seconds;
  /** Memory of the diagnostics: it decides what is reported, never what is computed. */
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
