/**
 * A training run: a policy, its tasks, a config, and the state reached. What happens next is decided by that state, by what
 * methods and the ledger keep, and by the policy's vectors; a checkpoint holds exactly these.
 */

import type { RunConfig } from '../config/run_config.ts';
import type { TaskSet } from '../data/task_set.ts';
import { startWatch, type Watch } from '../diagnostics/watch.ts';
import { murmur3OfText } from '../kernels/murmur3.ts';
import type { StageMethods } from '../methods/create.ts';
import type { Ledger } from '../methods/ledger.ts';
import { methodStates, restoreMethods } from '../methods/part_states.ts';
import type { EvaluationFigure } from '../methods/points.ts';
import type { CreditedGroup, Evaluation, Seconds } from '../methods/records.ts';
import type { Settings } from '../methods/settings.ts';
import type { StageConfig } from '../methods/stage.ts';
import type { Policy } from '../model/policy.ts';
import type { BaseName } from '../model/pretrained/adapter_files.ts';
import type { RewardFunction } from '../rewards/reward_function.ts';
import type { BestEvaluation } from './best_evaluation.ts';

/** Rollouts that still have optimizer steps to give: with several iterations or minibatches per batch. */
export interface Buffer {
  readonly groups: readonly CreditedGroup[];
  /** Optimizer steps already taken on them. */
  readonly stepsTaken: number;
  /** At which they were sampled, where it was not that of the config. */
  readonly temperature?: number;
}

/** What controllers have done that holds from step to step. */
export interface Steering {
  /** Numbers set in this stage, by the spelling of the YAML. */
  readonly settings: Settings;
  /** Step of this stage behind which the optimizer's moments began. */
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

/** Where a run stands; at a step boundary it is all that a resume needs besides the policy's vectors. */
export interface RunState {
  stageIndex: number;
  /** Optimizer steps taken in this stage. */
  step: number;
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
  steering: Steering;
  seconds: Seconds;
  /** What the diagnostics remember: it decides what is said, never what is done. */
  watch: Watch;
}

export interface WeightedReward {
  readonly reward: RewardFunction;
  readonly weight: number;
}

/** What is said of a stage, once, before its first step. */
export interface RunRemark {
  readonly stage: number;
  readonly level: 'note' | 'warning';
  readonly message: string;
}

/** A pretrained model, by what tells it from others. */
export interface BaseModel {
  readonly name: BaseName;
  /** SHA-256 of each of its files, by their names. */
  readonly files: Readonly<Record<string, string>>;
  /** Of its weights. */
  readonly sha256: string;
}

/** A run that is open: `train` takes it from where it stands to its end. */
export interface TrainingRun {
  readonly config: RunConfig;
  readonly tasks: TaskSet;
  /** [stages] what each is rewarded for; nothing in an sft stage. */
  readonly rewards: readonly (readonly WeightedReward[])[];
  /** [stages] what each is made of; undefined in an sft stage, and where the run is only evaluated or sampled. */
  readonly methods: readonly (StageMethods | undefined)[];
  /** What there is to say of the methods of its stages before their first steps. */
  readonly remarks: readonly RunRemark[];
  /** [stages] further figures of its evaluations. */
  readonly figures: readonly (readonly EvaluationFigure[])[];
  /** What is known of each problem, where a method asks for it. */
  readonly ledger: Ledger;
  readonly policy: Policy;
  /** The pretrained model that it began with; absent for random weights. */
  readonly base?: BaseModel;
  readonly state: RunState;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
}

export function initialState(): RunState {
  const seconds = { sft: 0, rollout: 0, verify: 0, update: 0, eval: 0 };
  return {
    stageIndex: 0,
    step: 0,
    itemsDrawn: 0,
    rolloutsDrawn: 0,
    tokens: 0,
    deadBatches: 0,
    baseline: undefined,
    final: undefined,
    best: undefined,
    buffer: undefined,
    steering: { settings: {}, momentsFrom: 0, endings: [] },
    seconds,
    watch: startWatch(seconds),
  };
}

/**
 * The stage under way.
 *
 * @throws RangeError behind the last one
 */
export function stageOf(run: TrainingRun): StageConfig {
  const stage = run.config.stages[run.state.stageIndex];
  if (stage === undefined) throw new RangeError('the run has no further stage');
  return stage;
}

/** Whether a controller has ended the stage under way. */
export function endingOf({ steering, stageIndex }: RunState): StageEnding | undefined {
  return steering.endings.find((ending) => ending.stageIndex === stageIndex);
}

/** Optimizer steps of a stage: those of the config, or where a controller has ended it. */
export function stepsOf({ config, state }: TrainingRun, index: number): number {
  const ending = state.steering.endings.find(({ stageIndex }) => stageIndex === index);
  return ending?.step ?? config.stages[index].optimizer.maxSteps;
}

/** Whether the stage under way has no further step. */
export function isStageOver(run: TrainingRun): boolean {
  return run.state.step >= stageOf(run).optimizer.maxSteps || endingOf(run.state) !== undefined;
}

/** Words of the sampler's Philox key for one purpose ('rollout', 'eval', …). */
export function samplingKey(seed: number, purpose: string): readonly [number, number] {
  const words = new Uint32Array(4);
  murmur3OfText(`sampling|${seed}|${purpose}`, words);
  return [(words[0] ?? 0) | 0, (words[1] ?? 0) | 0];
}

/** What a batch changes before its update has changed the weights. */
export interface RestPoint {
  readonly counters: Pick<RunState, 'itemsDrawn' | 'rolloutsDrawn' | 'tokens' | 'deadBatches' | 'buffer'>;
  readonly methods: ReturnType<typeof methodStates> | undefined;
}

/** Where the run stands, to come back to. */
export function restPoint({ state, methods }: TrainingRun): RestPoint {
  const { itemsDrawn, rolloutsDrawn, tokens, deadBatches, buffer, stageIndex } = state;
  const stage = methods[stageIndex];
  return {
    counters: { itemsDrawn, rolloutsDrawn, tokens, deadBatches, buffer },
    methods: stage && methodStates(stage),
  };
}

/** Takes back what was drawn since, with the state of the methods: the run is at rest, as before it. */
export function goBack({ state, methods }: TrainingRun, rest: RestPoint): void {
  Object.assign(state, rest.counters);
  const stage = methods[state.stageIndex];
  if (stage && rest.methods) restoreMethods(stage, rest.methods);
}

/** Where `work` fails, the run goes back to where it stood before it. */
export async function takeBackOnFailure<T>(run: TrainingRun, work: () => Promise<T>): Promise<T> {
  const rest = restPoint(run);
  try {
    return await work();
  } catch (error) {
    goBack(run, rest);
    throw error;
  }
}

/** Runs `work` and adds its wall-clock to one activity. */
export async function timed<T>(run: TrainingRun, activity: keyof Seconds, work: () => Promise<T>): Promise<T> {
  const start = run.clock();
  try {
    return await work();
  } finally {
    run.state.seconds[activity] += (run.clock() - start) / 1000;
  }
}
