/**
 * Batches that wait to be trained on. With `staleness: k` batch b is sampled by the weights that batch b − k − 1 left, which
 * is a fixed lag and no race: what a batch is made of follows from the state of the run before the k updates that come
 * first, so its completions may be asked for, of a generator elsewhere too, while these are still under way.
 */
import type { Ledger } from '../methods/ledger.ts';
import type { CreditedGroup } from '../methods/records.ts';
import type { BatchConfig, GrpoStageConfig } from '../methods/stage.ts';
import type { Buffer, Journal, RunState } from './journal.ts';
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

/** The oldest batch that waits becomes the one at hand; the problems that are asked next may depend on its verdicts. */
export function takeBatch({ state }: Journal, ledger: Ledger): void {
  const [{ observations = [], ...buffer }, ...queue] = state.queue;
  ledger.record(observations, state.step);
  Object.assign(state, { queue, buffer });
}

/** The batch at hand. @throws RangeError where there is none */
export function bufferOf({ buffer }: Pick<RunState, 'buffer'>): Buffer {
  if (buffer === undefined) throw new RangeError('no rollouts to train on');
  return buffer;
}

/** The groups of the next optimizer step; the batch that has none left is no longer at hand. */
export function takeMinibatch({ state }: Journal, { stage: { batch } }: Step): readonly CreditedGroup[] {
  const buffer = bufferOf(state);
  const { groups, stepsTaken } = buffer;
  const minibatches = Math.min(batch.optimizerStepsPerGeneration, groups.length);
  const index = stepsTaken % minibatches;
  const taken = { ...buffer, stepsTaken: stepsTaken + 1 };
  state.buffer = stepsLeftOf(batch, taken) > 0 ? taken : undefined;
  const edge = (i: number): number => Math.round((i * groups.length) / minibatches);
  return groups.slice(edge(index), edge(index + 1));
}
