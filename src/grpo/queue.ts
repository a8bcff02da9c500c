/**
 * Batches that wait to be trained on. With `staleness: k` batch b is sampled by the weights that batch b − k − 1 left, which
 * is a fixed lag and no race: what a batch is made of follows from the state of the run before the k updates that come
 * first, so its completions may be asked for, of a generator elsewhere too, while these are still under way.
 */
import type { CreditedGroup } from '../methods/records.ts';
import type { BatchConfig, GrpoStageConfig } from '../methods/stage.ts';
import type { Buffer, RunState } from './journal.ts';
import type { Step } from './step.ts';

/** Optimizer steps that a batch still has to give. */
export function stepsLeftOf(batch: BatchConfig, { groups, stepsTaken }: Pick<Buffer, 'groups' | 'stepsTaken'>): number {
  return Math.min(batch.optimizerStepsPerGeneration, groups.length) * batch.numIterations - stepsTaken;
}

/**
 * Whether the next batch is to be sampled before the next update. At the end of a stage none is sampled that no step is
 * left for.
 */
export function needsBatch(
  { buffer, queue, step }: Pick<RunState, 'buffer' | 'queue' | 'step'>,
  { staleness = 0, batch, optimizer }: Pick<GrpoStageConfig, 'staleness' | 'batch' | 'optimizer'>,
): boolean {
  if (buffer !== undefined || queue.length > staleness) return false;
  const given = queue.reduce((sum, waiting) => sum + stepsLeftOf(batch, waiting), 0);
  return given < optimizer.maxSteps - step;
}

/** How many optimizer steps older the weights are that sampled a batch; 0 where none of the stage waits. */
export function stalenessOf({ weightsVersion: sampledBy }: Pick<Buffer, 'weightsVersion'>, now: number): number {
  return now - (sampledBy ?? now);
}

/** A batch as it waits for its first step. @param configured  its stage as the config has it */
export function waitingBatch(
  { stage }: Step,
  configured: GrpoStageConfig,
  { groups, weightsVersion, observations }: Required<Pick<Buffer, 'groups' | 'weightsVersion' | 'observations'>>,
): Buffer {
  const { temperature } = stage.sampling;
  return {
    groups,
    stepsTaken: 0,
    ...(temperature !== configured.sampling.temperature && { temperature }),
    ...(configured.staleness !== undefined && { weightsVersion, ...(observations.length > 0 && { observations }) }),
  };
}

/** The batch that the next update learns from, and those that then wait. */
export interface BatchAtHand extends Pick<RunState, 'queue'>, Required<Pick<Buffer, 'observations'>> {
  readonly buffer: Buffer;
  /** No step was taken on it yet. */
  readonly isFirst: boolean;
}

/** Undefined where it is yet to be sampled. */
export function batchAtHand({ buffer, queue }: Pick<RunState, 'buffer' | 'queue'>): BatchAtHand | undefined {
  if (buffer !== undefined) return { buffer, queue, isFirst: false, observations: [] };
  if (queue.length === 0) return undefined;
  const [{ observations = [], ...oldest }, ...others] = queue;
  return { buffer: oldest, queue: others, isFirst: true, observations };
}

/** The groups of the next optimizer step of a batch, and what is then left of it. */
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
