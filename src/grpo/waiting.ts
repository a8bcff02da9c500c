/**
 * Batches that wait to be trained on. With `staleness: k` batch b is sampled with the weights that batch b − k − 1
 * left: a fixed lag, not a race. A batch depends only on the run before the k updates that precede it, so a generator,
 * even a remote one, may sample it while they are under way.
 */
import type { StepMetrics } from '../methods/records.ts';
import type { GrpoStageConfig } from '../methods/stage.ts';
import { hiddenRows } from '../methods/uses/hidden_rows.ts';
import { ledger } from '../methods/uses/ledger.ts';
import { EngineTurns } from './engine_turns.ts';
import {
  type Beside,
  type Drawn,
  type Gather,
  type GenerationBatch,
  joined,
  type NextBatch,
  NOTHING_DRAWN,
  type Reinforced,
  type SampledBatch,
  stepsLeftOf,
} from './generation_batch.ts';
import type { Buffer, RunState } from './journal.ts';
import { batchMetrics } from './metrics.ts';
import { restPoint } from './rest_point.ts';
import type { Step } from './step.ts';

/** Queues `staleness` batches between sampling and update, and yields the oldest. */
export function waiting(gather: Gather): NextBatch {
  const sample: Gather = async function* (run, options) {
    const batch = yield* gather(run, { ...options, waits: true });
    return { ...batch, buffer: asItWaits(run, batch) };
  };
  return async function* (run) {
    const { journal, stage } = run;
    const { state } = journal;
    let drawn: Drawn = NOTHING_DRAWN;
    while (needsBatch(state, stage) && state.queue.length < (stage.staleness ?? 0)) {
      const { buffer, drawn: ahead } = yield* sample(run);
      const metrics = aheadLine(run, ahead.newest);
      yield { type: 'batch', stage: 'grpo', step: state.step + 1, metrics };
      state.queue = [...state.queue, buffer];
      drawn = joined(drawn, { ...ahead, newest: undefined, lines: [...ahead.lines, metrics] });
    }
    const isDue = needsBatch(state, stage);
    const [oldest] = state.queue;
    if (oldest === undefined) {
      const batch = yield* sample(run); // staleness: 0, so that it need not wait
      state.queue = [batch.buffer];
      return { ...batch, ...taken(batch.buffer) };
    }
    const opened = { ...taken(oldest), isFirst: true, step: openFor(run, oldest) };
    const beside = isDue ? besideOf(run, opened.step, sample) : undefined;
    const sampled = isDue && beside === undefined ? yield* sample(run) : undefined;
    if (sampled !== undefined) {
      state.queue = [...state.queue, sampled.buffer];
      return { ...opened, rest: sampled.rest, drawn: joined(drawn, sampled.drawn) };
    }
    return { ...opened, rest: restPoint(journal, opened.step.methods), drawn, beside };
  };
}

/**
 * Whether to sample another batch before the next update. The end of a stage samples none without a step left for it.
 */
function needsBatch(
  { queue, step }: Pick<RunState, 'queue' | 'step'>,
  { staleness = 0, batch, optimizer }: Pick<GrpoStageConfig, 'staleness' | 'batch' | 'optimizer'>,
): boolean {
  if (queue.length > staleness) return false;
  const given = queue.reduce((sum, waits) => sum + stepsLeftOf(batch, waits), 0);
  return given < optimizer.maxSteps - step;
}

/** A batch between its sampling and its first step. */
function asItWaits({ engine }: Reinforced, { buffer, observations }: GenerationBatch): Buffer {
  const { weightsVersion } = engine.generator;
  return { ...buffer, weightsVersion, ...(observations.length > 0 && { observations }) };
}

/** A batch that waits no more. */
function taken({ observations = [], ...buffer }: Buffer): Pick<GenerationBatch, 'buffer' | 'observations'> {
  return { buffer, observations };
}

/** Opens the step on the oldest batch, at its rollouts' temperature. */
function openFor(run: Reinforced, buffer: Buffer): Step {
  return run.openStep({ buffer, queue: run.journal.state.queue.slice(1) });
}
/** The log line of a batch that begins to wait. */
function aheadLine({ journal: { state }, stage }: Reinforced, sampled: SampledBatch): StepMetrics {
  const { step, tokens } = state;
  return batchMetrics(stage, sampled, sampled.logged, { step: step + 1, tokens, fate: 'ahead' });
}

/**
 * Samples the next batch while the policy learns from a waiting one, so that a step takes only the longer of the two.
 * This requires that something other than the engine samples, and that update and batch share no state.
 */
function besideOf(run: Reinforced, { methods: { uses, lossTerms } }: Step, sample: Gather): Beside | undefined {
  const { engine, journal } = run;
  // A head is read while a batch is credited, and moves with an update.
  const shares = uses.has(ledger()) || uses.has(hiddenRows) || lossTerms.some(({ part }) => part.texts !== undefined);
  if (shares || engine.generator.beside === undefined) return undefined;
  const turns = new EngineTurns(journal.clock);
  const sampler = engine.generator.beside(turns);
  return { turns, sample: (accumulating) => sample(run, { sampler, isFree: () => accumulating }) };
}
