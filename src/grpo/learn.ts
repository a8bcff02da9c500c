/** One optimizer step on a batch: gradients are added up, and then the weights change. */
import type { CreditedGroup, UpdateResult } from '../methods/records.ts';
import type { TrainEvent } from './events.ts';
import {
  type Beside,
  type Drawn,
  type GenerationBatch,
  joined,
  type Reinforced,
  takeMinibatch,
} from './generation_batch.ts';
import { type Buffer, timed } from './journal.ts';
import { isNothingToLearn } from './nothing_to_learn.ts';
import { orGoBack } from './rest_point.ts';
import { withProximalLogprobs } from './score/proximal.ts';
import type { Step } from './step.ts';
import { assertOnPolicy } from './update/on_policy.ts';
import { accumulateUpdate, type TakeStep, type UpdateOptions } from './update/update.ts';

/** A step that was taken. */
export interface Learned {
  readonly step: Step;
  /** The groups that it learned from. */
  readonly groups: readonly CreditedGroup[];
  /** Whether it was the first step on a batch sampled from the weights that it changed. */
  readonly isFresh: boolean;
  /** Optimizer steps since its batch was sampled. */
  readonly staleness: number;
  readonly update: UpdateResult;
  readonly drawn: Drawn;
}

/** Takes the next step of a batch, and keeps the rest of the batch at hand. */
export async function* learn(run: Reinforced, batch: GenerationBatch): AsyncGenerator<TrainEvent, Learned> {
  const { journal } = run;
  const { state } = journal;
  run.ledger.record(batch.observations, state.step); // the problems that are asked next may depend on its verdicts
  const events: TrainEvent[] = [];
  const accumulating = accumulate(run, batch);
  const sampled = batch.beside && (yield* sampledBeside(run, batch.beside, accumulating, events));
  const learned = await orGoBack(batch.rest, async () => {
    const { takeStep, left, ...accumulated } = await accumulating;
    if (sampled !== undefined) state.queue = [...state.queue, sampled.buffer];
    const update = await timed(journal, 'update', takeStep);
    state.buffer = left;
    if (batch.isFirst) state.queue = state.queue.slice(1);
    return { ...accumulated, update };
  });
  yield* events;
  return { ...learned, step: batch.step, drawn: sampled ? joined(batch.drawn, sampled.drawn) : batch.drawn };
}

interface Accumulated extends Pick<Learned, 'groups' | 'isFresh' | 'staleness'> {
  /** What is left of the batch. */
  readonly left: Buffer | undefined;
  readonly takeStep: TakeStep;
}

/** Adds up the gradients of the next step. */
async function accumulate(
  { engine, journal }: Reinforced,
  { buffer, isFirst, step, beside }: GenerationBatch,
): Promise<Accumulated> {
  const learn: UpdateOptions['learn'] = beside && ((part) => beside.turns.learn(part));
  const { weightsVersion } = engine.generator;
  const staleness = weightsVersion - (buffer.weightsVersion ?? weightsVersion);
  const isFresh = isFirst && staleness === 0;
  const scored = (): ReturnType<typeof withProximalLogprobs> =>
    withProximalLogprobs(engine, step, journal, buffer.groups, staleness > 0);
  const scoredGroups = isFirst ? await (learn?.(scored) ?? scored()) : buffer.groups;
  const { groups, left } = takeMinibatch({ ...buffer, groups: scoredGroups }, step.stage.batch);
  const options = { groups, fromTheseWeights: isFresh, ...(learn && { learn }) };
  const { totals, takeStep } = await timed(journal, 'update', () => accumulateUpdate(engine, step, journal, options));
  if (isFresh) await assertOnPolicy(engine, step, totals);
  return { groups, left, isFresh, staleness, takeStep };
}

/**
 * Waits for a batch that is sampled during an update, and for the update's gradients. If either fails or is cut off, a
 * resume does both again.
 *
 * @param events  takes the batch's events, which are yielded after the update's
 * @returns undefined if the gradients failed
 * @throws the batch's error; the gradients are then dropped
 */
async function* sampledBeside(
  { engine }: Reinforced,
  beside: Beside,
  accumulating: Promise<unknown>,
  events: TrainEvent[],
): AsyncGenerator<TrainEvent, GenerationBatch | undefined> {
  const sampling = drained(beside.sample(accumulating), events);
  const [accumulated, sampled] = await Promise.allSettled([accumulating, sampling]);
  if (accumulated.status === 'rejected') return undefined;
  if (sampled.status === 'fulfilled') return sampled.value;
  engine.policy.forgetGradients();
  if (isNothingToLearn(sampled.reason)) yield* events; // those batches are over
  throw sampled.reason;
}

/** Runs to the end. @param events  takes what it yields */
async function drained<Event, Result>(generator: AsyncGenerator<Event, Result>, events: Event[]): Promise<Result> {
  for (;;) {
    const next = await generator.next();
    if (next.done === true) return next.value;
    events.push(next.value);
  }
}
