/** A training run: an engine, what it is trained by, and a journal of where it is. */

import type { Registries } from '../config/registries.ts';
import type { RunConfig } from '../config/run_config.ts';
import { murmur3OfText } from '../kernels/murmur3.ts';
import type { createDemonstrations, StageMethods } from '../methods/create.ts';
import type { Ledger } from '../methods/ledger.ts';
import type { Member } from '../methods/method.ts';
import type { EvaluationFigure } from '../methods/points.ts';
import type { StageConfig } from '../methods/stage.ts';
import type { StageUses } from '../methods/uses/stage_uses.ts';
import type { BaseName } from '../model/adapter_config.ts';
import type { RewardFunction } from '../rewards/reward_function.ts';
import { type Engine, localEngine } from './engine.ts';
import { endingOf, type Journal } from './journal.ts';

export interface WeightedReward {
  readonly reward: RewardFunction;
  readonly weight: number;
}

/** A remark on a stage, made once before its first step. */
export interface RunRemark {
  readonly stage: number;
  readonly level: 'note' | 'warning';
  /** With the line of the file that it is about. */
  readonly message: string;
  /** Names the key only, for logs: a resume reads another file and must write the same logs. */
  readonly recorded: string;
}

/** Identifies a pretrained model. */
export interface BaseModel {
  readonly name: BaseName;
  /** As it was typed. */
  readonly shown: string;
  /** SHA-256 of each of its files, by their names. */
  readonly files: Readonly<Record<string, string>>;
  /** Hash of its weights. */
  readonly sha256: string;
}

/** An open run: `train` takes it from its journal's position to its end. */
export interface TrainingRun {
  readonly config: RunConfig;
  /** Where the config's names were looked up, the user's files included. */
  readonly registries: Registries;
  readonly engine: Engine;
  readonly journal: Journal;
  /** [stages] reward functions; none in an sft stage. */
  readonly rewards: readonly (readonly WeightedReward[])[];
  /** [stages] methods; undefined in an sft stage. */
  readonly methods: readonly (StageMethods | undefined)[];
  /**
   * [stages] how an sft stage demonstrates multi-turn problems; undefined elsewhere, and for the task's demonstrations.
   */
  readonly demonstrations: readonly ReturnType<typeof createDemonstrations>[];
  /** Remarks on the methods of its stages, made before their first steps. */
  readonly remarks: readonly RunRemark[];
  /** [stages] further figures of its evaluations. */
  readonly figures: readonly (readonly EvaluationFigure[])[];
  /** Knowledge of each problem, if a method asks for it. */
  readonly ledger: Ledger;
  /** The pretrained model that it began with; absent for random weights. */
  readonly base?: BaseModel;
  /** Its further models, by their names; absent: there are none. */
  readonly models?: Readonly<Record<string, BaseModel>>;
}

/** A config and its model. */
export type ConfiguredModel = Pick<TrainingRun, 'config' | 'registries' | 'engine' | 'base' | 'models'>;

/** A config, and how far a run of it is. */
export type Progress = Pick<TrainingRun, 'config' | 'journal'>;

/**
 * The stage under way.
 *
 * @throws RangeError after the last one
 */
export function stageOf({ config, journal: { state } }: Progress): StageConfig {
  const stage = config.stages[state.stageIndex];
  if (stage === undefined) throw new RangeError('the run has no further stage');
  return stage;
}

/** [stages] the methods of each. */
export function membersOfStages({ methods }: Pick<TrainingRun, 'methods'>): readonly (readonly Member[])[] {
  return methods.map((ofStage) => ofStage?.members ?? []);
}

/** What the methods of each grpo stage use. */
export function usesOfStages({ methods }: Pick<TrainingRun, 'methods'>): readonly StageUses[] {
  return methods.flatMap((ofStage) => (ofStage === undefined ? [] : [ofStage.uses]));
}

/** Optimizer steps of a stage: those of the config, or as many as it had when a controller ended it. */
export function stepsOf({ config, journal: { state } }: Progress, index: number): number {
  const ending = state.steering.endings.find(({ stageIndex }) => stageIndex === index);
  return ending?.step ?? config.stages[index].optimizer.maxSteps;
}

/** Whether the stage under way has no further step. */
export function isStageOver(run: Progress): boolean {
  const { state } = run.journal;
  return state.step >= stageOf(run).optimizer.maxSteps || endingOf(state) !== undefined;
}

/** Optimizer steps taken in all stages so far: the version of the weights. */
export function totalSteps(run: Progress): number {
  const { stageIndex, step } = run.journal.state;
  return Array.from({ length: stageIndex }, (_, index) => stepsOf(run, index)).reduce((sum, own) => sum + own, step);
}

/** The run with another config for what it has yet to do. */
export function withConfig(run: TrainingRun, config: RunConfig): TrainingRun {
  const { models, tasks, makeGenerator } = run.engine;
  const engine = localEngine(models, tasks, () => totalSteps({ config, journal: run.journal }), makeGenerator);
  return { ...run, config, engine };
}

/** Words of the sampler's Philox key for one purpose ('rollout', 'eval', …). */
export function samplingKey(seed: number, purpose: string): readonly [number, number] {
  const words = new Uint32Array(4);
  murmur3OfText(`sampling|${seed}|${purpose}`, words);
  return [(words[0] ?? 0) | 0, (words[1] ?? 0) | 0];
}
