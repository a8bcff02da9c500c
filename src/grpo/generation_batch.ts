/** A generation batch between its sampling and the optimizer steps that it gives. */
import type { Ledger, Observation } from '../methods/ledger.ts';
import type { Collected, CreditedGroup, StepMetrics } from '../methods/records.ts';
import type { BatchConfig, GrpoStageConfig } from '../methods/stage.ts';
import type { Diagnosed } from './diagnose.ts';
import type { Engine } from './engine.ts';
import type { EngineTurns } from './engine_turns.ts';
import type { TrainEvent } from './events.ts';
import type { Buffer, Journal, RunState } from './journal.ts';
import { type RestPoint, restPoint } from './rest_point.ts';
import type { Step } from './step.ts';

/** A grpo stage under way. */
export interface Reinforced extends Diagnosed {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly ledger: Ledger;
  /** As the config has it. */
  readonly stage: GrpoStageConfig;
  /** Opens the step that is about to be taken. @param batches  at hand and waiting, default: as they are now */
  readonly openStep: (batches?: Pick<RunState, 'buffer' | 'queue'>) => Step;
}

/** What the next optimizer step learns from. */
export interface GenerationBatch {
  readonly buffer: Buffer;
  /** No step was taken on it yet. */
  readonly isFirst: boolean;
  /** Opened for its rollouts: at their temperature. */
  readonly step: Step;
  /** Where the run returns if the step fails. */
  readonly rest: RestPoint;
  /** Observations that the ledger records with the batch's first step. */
  readonly observations: readonly Observation[];
  readonly drawn: Drawn;
  /** Samples the next batch while gradients are added up; absent: none is due, or it was sampled already. */
  readonly beside?: Beside;
}

/** What was sampled since the step before. */
export interface Drawn {
  /** The batch sampled for this step, or sampled to replace the waiting one that the step takes. */
  readonly newest?: SampledBatch;
  /** Log lines of the batches before it. */
  readonly lines: readonly StepMetrics[];
  /** Tokens that carry a loss, over all these batches. */
  readonly trainedTokens: number;
}

/** A batch that was sampled and credited. */
export interface SampledBatch {
  readonly collected: Collected;
  /** What is left to train on. */
  readonly groups: readonly CreditedGroup[];
  /** What the methods of the stage have logged of it. */
  readonly logged: Step['logged'];
}

/** A batch that is sampled beside an update. */
export interface Beside {
  /** Whose turn it is at the engine. */
  readonly turns: EngineTurns;
  /** @param accumulating  the gradients of the update: only then is the engine free for what credits the batch */
  sample(accumulating: Promise<unknown>): AsyncGenerator<TrainEvent, GatheredBatch>;
}

/** How a batch is sampled. */
export interface GatherOptions {
  /** The batch waits for its first step, and the ledger records it only then; default: it is trained on at once. */
  readonly waits?: boolean;
  /** What samples; default: the generator of the run. */
  readonly sampler?: Engine['generator'];
  /** Resolves once the engine may be used for credit; default: at once. */
  readonly isFree?: () => Promise<unknown>;
}

/** A batch that was sampled just now. */
export interface GatheredBatch extends GenerationBatch {
  readonly drawn: Drawn & { readonly newest: SampledBatch };
}

/** Samples and credits the next batch that has something to learn from. */
export type Gather = (run: Reinforced, options?: GatherOptions) => AsyncGenerator<TrainEvent, GatheredBatch>;

/** Yields the batch that the next step learns from. */
export type NextBatch = (run: Reinforced) => AsyncGenerator<TrainEvent, GenerationBatch>;

export const NOTHING_DRAWN: Drawn = { lines: [], trainedTokens: 0 };

/** The rest of the batch at hand; undefined once all of its steps are taken. */
export function leftAtHand(run: Reinforced): GenerationBatch | undefined {
  const { buffer } = run.journal.state;
  if (buffer === undefined) return undefined;
  const step = run.openStep();
  const rest = restPoint(run.journal, step.methods);
  return { buffer, isFirst: false, step, rest, observations: [], drawn: NOTHING_DRAWN };
}

/** Joins what was sampled before and after. */
export function joined(before: Drawn, after: Drawn): Drawn {
  return {
    newest: after.newest,
    lines: [...before.lines, ...after.lines],
    trainedTokens: before.trainedTokens + after.trainedTokens,
  };
}

/** Optimizer steps left on a batch. */
export function stepsLeftOf(batch: BatchConfig, { groups, stepsTaken }: Pick<Buffer, 'groups' | 'stepsTaken'>): number {
  return Math.min(batch.optimizerStepsPerGeneration, groups.length) * batch.numIterations - stepsTaken;
}

/** The groups of a batch's next optimizer step, and the rest of the batch. */
export function takeMinibatch(
  buffer: Buffer,
  batch: BatchConfig,
): { readonly groups: readonly CreditedGroup[]; readonly left: Buffer | undefined } {
  const { groups, stepsTaken } = buffer;
  const minibatches = Math.min(batch.optimizerStepsPerGeneration, groups.length);
  const index = stepsTaken % minibatches;
  const taken = { ...buffer, stepsTaken: stepsTaken + 1 };
  const edge = (i: number): number => Math.round((i * groups.length) / minibatches);
  return {
    groups: groups.slice(edge(index), edge(index + 1)),
    left: stepsLeftOf(batch, taken) > 0 ? taken : undefined,
  };
}
