/** One optimizer step of a stage: after the batch that is due was sampled, or beside it. */
import type { UpdateResult } from '../methods/records.ts';
import { ledger } from '../methods/uses/ledger.ts';
import { EngineTurns } from './engine_turns.ts';
import type { TrainEvent } from './events.ts';
import { type Gathered, gatherBatch, isNothingToLearn, type Reinforced } from './gather.ts';
import type { Points } from './interruption.ts';
import { type Buffer, timed } from './journal.ts';
import { type BatchAtHand, batchAtHand, stalenessOf, takeMinibatch } from './queue.ts';
import { goBack, orGoBack, restPoint } from './rest_point.ts';
import { withProximalLogprobs } from './score/proximal.ts';
import type { Step } from './step.ts';
import { assertOnPolicy } from './update/on_policy.ts';
import { accumulateUpdate, type TakeStep, type UpdateOptions } from './update/update.ts';

/** A step whose gradients are added up. */
interface Accumulated {
  readonly step: Step;
  readonly groups: UpdateOptions['groups'];
  /** What is left of their batch. */
  readonly left: Buffer | undefined;
  /** The first step on a batch of these very weights. */
  readonly isFresh: boolean;
  /** Optimizer steps since it was sampled. */
  readonly staleness: number;
  readonly takeStep: TakeStep;
}

/** A step that was taken. */
export interface Learned {
  /** The batch that was sampled for it, or ahead, where one was due. */
  readonly gathered: Gathered | undefined;
  readonly learned: Omit<Accumulated, 'takeStep'>;
  readonly update: UpdateResult;
}

/**
 * Whether the batch that is due may be sampled while the policy learns from one that waits: where something else than the
 * engine samples, and nothing that an update does and nothing that it reads is also a batch's.
 */
export function samplesBeside(run: Reinforced): boolean {
  const { engine, journal } = run;
  const { staleness = 0 } = run.stage;
  if (staleness === 0 || batchAtHand(journal.state) === undefined || engine.generator.beside === undefined)
    return false;
  const { uses, lossTerms } = run.openStep().methods;
  return !uses.has(ledger()) && !lossTerms.some(({ part }) => part.texts !== undefined);
}

/** Samples the batch that is due, and then learns. What is learned from a batch that waited is as it is in `learnBeside`. */
export async function* learnInTurn(
  run: Reinforced,
  points: Points,
  isDue: boolean,
): AsyncGenerator<TrainEvent, Learned> {
  const { journal } = run;
  const { state } = journal;
  const waiting = batchAtHand(state);
  const opened = waiting && run.openStep(waiting); // at the temperature of the batch
  const gathered = isDue ? yield* gatherBatch(run, { points }) : undefined;
  if (gathered !== undefined) state.queue = [...state.queue, gathered.batch];
  const batch = waiting ?? batchAtHand(state);
  const step = opened ?? gathered?.sampling;
  if (batch === undefined || step === undefined) throw new RangeError('no rollouts to train on');
  run.ledger.record(batch.observations, state.step); // the problems that are asked next may depend on its verdicts
  const rest = gathered?.rest ?? restPoint(journal, step.methods);
  return await points.interruptible(() =>
    orGoBack(journal, step, rest, async () => {
      const accumulated = await accumulate(run, step, batch);
      return { gathered, ...(await taken(run, accumulated, batch)) };
    }),
  );
}

/**
 * Samples the batch that is due while gradients are added up: the weights change once it is there. So whatever fails or is cut
 * off, both are done again from where the run was, and to sample takes the time of an update, or the update that of sampling.
 */
export async function* learnBeside(run: Reinforced, points: Points): AsyncGenerator<TrainEvent, Learned> {
  const { engine, journal } = run;
  const { state, clock } = journal;
  const batch = batchAtHand(state);
  const turns = new EngineTurns(clock);
  const sampler = engine.generator.beside?.(turns);
  if (batch === undefined || sampler === undefined) throw new RangeError('nothing to learn from beside sampling');
  const step = run.openStep(batch);
  const rest = restPoint(journal, step.methods);
  const events: TrainEvent[] = [];
  const both = async (): Promise<Learned> => {
    const accumulating = accumulate(run, step, batch, turns);
    const atOnce = { interruptible: <T>(work: () => Promise<T>) => work() };
    const gathering = drained(gatherBatch(run, { points: atOnce, sampler, isFree: () => accumulating }), events);
    const [accumulated, gathered] = await Promise.allSettled([accumulating, gathering]);
    if (accumulated.status === 'rejected') {
      goBack(journal, step.methods, rest);
      throw accumulated.reason;
    }
    if (gathered.status === 'rejected') {
      engine.policy.forgetGradients();
      throw gathered.reason;
    }
    return orGoBack(journal, step, rest, async () => {
      state.queue = [...state.queue, gathered.value.batch];
      return { gathered: gathered.value, ...(await taken(run, accumulated.value, batch)) };
    });
  };
  try {
    const learned = await points.interruptible(both);
    yield* events;
    return learned;
  } catch (error) {
    if (isNothingToLearn(error)) yield* events; // those batches are over
    throw error;
  }
}

/** Adds up the gradients of the next step. @param turns  at the engine, where it is not alone there */
async function accumulate(
  { engine, journal }: Reinforced,
  step: Step,
  { buffer, isFirst }: BatchAtHand,
  turns?: EngineTurns,
): Promise<Accumulated> {
  const learn: UpdateOptions['learn'] = turns && ((part) => turns.learn(part));
  const staleness = stalenessOf(buffer, engine.generator.weightsVersion);
  const isFresh = isFirst && staleness === 0;
  const scored = (): ReturnType<typeof withProximalLogprobs> =>
    withProximalLogprobs(engine, step, journal, buffer.groups, staleness > 0);
  const known = isFirst ? await (learn?.(scored) ?? scored()) : buffer.groups;
  const { groups, left } = takeMinibatch({ ...buffer, groups: known }, step.stage.batch);
  const options = { groups, fromTheseWeights: isFresh, ...(learn && { learn }) };
  const { totals, takeStep } = await timed(journal, 'update', () => accumulateUpdate(engine, step, journal, options));
  if (isFresh) await assertOnPolicy(engine, step, totals);
  return { step, groups, left, isFresh, staleness, takeStep };
}

/** Takes the step; what is left of its batch is then at hand. */
async function taken(
  { journal }: Reinforced,
  { takeStep, ...learned }: Accumulated,
  { isFirst }: BatchAtHand,
): Promise<Omit<Learned, 'gathered'>> {
  const { state } = journal;
  const update = await timed(journal, 'update', takeStep);
  state.buffer = learned.left;
  if (isFirst) state.queue = state.queue.slice(1);
  return { learned, update };
}

/** Runs to the end. @param events  takes what it yields */
async function drained<Event, Result>(generator: AsyncGenerator<Event, Result>, events: Event[]): Promise<Result> {
  for (;;) {
    const next = await generator.next();
    if (next.done === true) return next.value;
    events.push(next.value);
  }
}
