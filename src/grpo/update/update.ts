/**
 * One optimizer step of a stage's objective over credited groups, in micro-batches of whole groups, or of parts of
 * those that are too large.
 *
 * Gradients of the micro-batches add up (on wasm to the same bits, however whole groups are split); weights change
 * once, and only if every number is finite.
 */

import { NumericsError } from '../../errors.ts';
import type { StepSizes } from '../../methods/points.ts';
import type { CreditedGroup, Rollout, UpdateResult, UpdateTotals } from '../../methods/records.ts';
import { lossTokens, lossTokenWeight, selectedTokens } from '../../methods/tokens.ts';
import { refDistributions } from '../../methods/uses/distributions.ts';
import { teacherDistributions, teacherScores } from '../../methods/uses/models.ts';
import type { BatchLimits, PackedBatch, TokenGroup } from '../../model/batch.ts';
import { packBatch, splitUnits } from '../../model/batch.ts';
import type { ObjectiveRows, Policy } from '../../model/policy.ts';
import type { Engine } from '../engine.ts';
import type { Journal } from '../journal.ts';
import { completionLimit } from '../rollout/completion_end.ts';
import { withTeachers } from '../score/teachers.ts';
import type { Step } from '../step.ts';
import { actsInUpdate, tokenGroups } from './credit.ts';
import { type GroupPart, groupParts } from './group_parts.ts';
import { StepMeter } from './meter.ts';
import {
  accumulateObjective,
  beginStep,
  entropyCoefficient,
  needsObservation,
  type ObjectiveBatch,
  observeStep,
  paysForEntropy,
} from './objective.ts';
import { learningRateAt } from './schedules.ts';
import { addRows, emptyTotals } from './update_totals.ts';

/** A micro-batch without values by row yet. */
type MicroBatch = Omit<ObjectiveBatch, 'rows'>;

/** A group with the token arrays that packing needs: one for each prompt that it is trained under. */
interface PackedGroup {
  readonly credited: GroupPart;
  readonly parts: readonly TokenGroup[];
}

/** Changes the weights by what was accumulated. @throws NumericsError where the norm is not finite; they are as they were */
export type TakeStep = () => Promise<UpdateResult>;

/** What an update learns from. */
export interface UpdateOptions {
  readonly groups: readonly CreditedGroup[];
  /** The groups were sampled from the weights that are about to be updated. */
  readonly fromTheseWeights: boolean;
  /** Runs each part that needs the engine to itself; default: at once. */
  readonly learn?: <T>(part: () => Promise<T>) => Promise<T>;
}

/**
 * All of an update but the change of the weights.
 * @throws NumericsError at the first non-finite value; the weights are still the last good ones
 */
export async function accumulateUpdate(
  engine: Engine,
  step: Step,
  journal: Journal,
  { groups, fromTheseWeights, learn = (part) => part() }: UpdateOptions,
): Promise<{ readonly totals: UpdateTotals; readonly takeStep: TakeStep }> {
  // A rollout at another temperature has a ratio other than 1 even then.
  const onPolicy = fromTheseWeights && !groups.some(({ rollouts }) => rollouts.some(({ isOffPolicy }) => isOffPolicy));
  const { policy, tasks } = engine;
  const { stage } = step;
  const { state } = journal;
  const sizes = stepSizes(groups, completionLimit(tasks, stage));
  const capacity = microBatchCapacity(policy, step);
  const packed = groups
    .filter((group) => actsInUpdate(step.methods, group))
    .flatMap((group) => groupParts(group, capacity.completions))
    .map((credited): PackedGroup => ({ credited, parts: tokenGroups(credited) }));
  const microBatches = splitUnits(packed, ({ parts }) => parts, capacity);
  const totals = emptyTotals(paysForEntropy(step));
  const meter = new StepMeter();
  const { temperature } = stage.sampling;
  const microOf = (micro: readonly PackedGroup[]): MicroBatch => {
    const groups = micro.map(({ credited }) => credited);
    const microLossTokens = sum(groups, ({ rollouts }) => sum(rollouts, lossTokens));
    const all = { ...sizes, microBatches: microBatches.length, microLossTokens };
    return { batch: packBatch(micro.flatMap(({ parts }) => parts)), groups, temperature, sizes: all };
  };
  const withRows = async (micro: readonly PackedGroup[]): Promise<ObjectiveBatch> => {
    const objectiveMicro = microOf(micro);
    return { ...objectiveMicro, rows: await objectiveRows(policy, step, objectiveMicro, onPolicy, groups.length) };
  };
  beginStep(step, groups);
  const isObserved = needsObservation(step);
  // Off-policy, a single micro-batch's forward pass covers the whole step.
  const isObservedWithin = isObserved && !onPolicy && microBatches.length === 1;
  const seen =
    isObserved && !isObservedWithin
      ? await learn(() => observe(policy, step, microBatches, withRows, onPolicy))
      : undefined;
  for (const [i, each] of microBatches.entries()) {
    await learn(async () => {
      const completed = await withDistributions(policy, step, seen?.[i] ?? (await withRows(each)));
      const micro = await withTeachers(engine, step, await withTeacher(engine, step, completed));
      const scores = await accumulateObjective(policy, step, { ...micro, isObservedWithin }, meter);
      checkFinite(scores.losses, micro.batch, micro.groups, state.step);
      addRows(totals, micro, micro.rows, scores);
    });
  }
  if (step.methods.lossTerms.some(({ part }) => part.texts !== undefined)) {
    const { accumulateTexts } = await import('./own_texts.ts'); // a page's first run seldom needs it
    totals.loss += await learn(() => accumulateTexts(engine, step, journal));
  }
  const takeStep = async (): Promise<UpdateResult> => {
    const learningRate = learningRateAt(state.step, stage.optimizer);
    const adamStep = state.step - state.steering.momentsFrom + 1;
    const { gradNorm } = await policy.optimize({ ...stage.optimizer, learningRate, adamStep });
    if (!Number.isFinite(gradNorm)) throw notFinite('gradient norm', gradNorm, state.step, groups);
    const entropy = totals.selectedEntropy / Math.max(1, totals.selectedRows);
    const after = step.methods.lossTerms.map(({ part }) => part.afterUpdate?.({ entropy }));
    return { learningRate, gradNorm, totals: { ...totals, measured: Object.assign(meter.measured(), ...after) } };
  };
  return { totals, takeStep };
}

/**
 * Shows the whole step to parts that need its statistics. On-policy the sampler's log-probs and entropies are the
 * scorer's.
 * @returns the micro-batches with their values by row
 */
async function observe(
  policy: Policy,
  step: Step,
  micros: readonly (readonly PackedGroup[])[],
  withRows: (micro: readonly PackedGroup[]) => Promise<ObjectiveBatch>,
  onPolicy: boolean,
): Promise<readonly ObjectiveBatch[]> {
  const observed: ObjectiveBatch[] = [];
  for (const micro of micros) observed.push(await withRows(micro));
  await observeStep(step, observed, async ({ batch, groups, temperature }) => {
    if (!onPolicy) return policy.score(batch, temperature);
    const rollouts = groups.flatMap((group) => group.rollouts);
    return {
      logprobs: byRow(batch, (completion, token) => rollouts[completion].logprobs[token]),
      entropies: byRow(batch, (completion, token) => rollouts[completion].entropies[token]),
    };
  });
  return observed;
}

function sum<T>(values: readonly T[], numberOf: (value: T) => number): number {
  return values.reduce((total, value) => total + numberOf(value), 0);
}

type SharedSizes = Omit<StepSizes, 'microBatches' | 'microLossTokens'>;

function stepSizes(groups: readonly CreditedGroup[], maxCompletionTokens: number): SharedSizes {
  return {
    completions: sum(groups, ({ rollouts }) => rollouts.length),
    lossTokens: sum(groups, ({ rollouts }) => sum(rollouts, lossTokens)),
    selectedTokens: sum(groups, selectedTokens),
    maxCompletionTokens,
  };
}

/** Sizes of the micro-batches that are scored or trained on. */
export function microBatchCapacity(
  { capacity }: Policy,
  { stage: { batch }, methods: { uses } }: Step,
): Required<BatchLimits> {
  const { rows, lossRows, groups, completions, outputRows } = capacity;
  return {
    rows,
    lossRows: uses.distributionsFor.length > 0 ? Math.min(lossRows, outputRows?.distributions ?? 0) : lossRows,
    groups,
    completions: Math.min(completions, batch.completionsPerMicroBatch ?? completions),
  };
}

/** Adds the reference's distributions to a micro-batch, if a term asks for them. */
async function withDistributions(
  policy: Policy,
  { methods: { uses } }: Step,
  micro: ObjectiveBatch,
): Promise<ObjectiveBatch> {
  if (!uses.has(refDistributions)) return micro;
  const { batch, temperature, rows } = micro;
  const { logprobs, distributions } = await policy.score(batch, temperature, 'reference', ['distributions']);
  return { ...micro, rows: { ...rows, refLogprobs: logprobs, refDistributions: distributions } };
}

/** Adds the scores of the run's teacher to a micro-batch, if a term asks for them. */
async function withTeacher(
  { models: { teacher } }: Engine,
  { methods: { uses } }: Step,
  micro: ObjectiveBatch,
): Promise<ObjectiveBatch> {
  if (!uses.has(teacherScores)) return micro;
  const { batch, temperature, rows } = micro;
  const outputs = uses.has(teacherDistributions) ? (['distributions'] as const) : [];
  const { logprobs, distributions } = await teacher.policy.score(batch, temperature, 'policy', outputs);
  return { ...micro, rows: { ...rows, teacher: { logprobs, ...(distributions && { distributions }) } } };
}

/** [loss rows] of a batch, from a value for each token. */
function byRow(batch: PackedBatch, value: (completion: number, token: number) => number): Float32Array {
  const values = new Float32Array(batch.lossRowCount);
  for (let row = 0; row < values.length; row++) values[row] = value(batch.completionOf[row], batch.tokenOf[row]);
  return values;
}

/** Values of each loss row before the forward pass, in the batch's order. @param groupCount  of the step */
async function objectiveRows(
  policy: Policy,
  step: Step,
  { batch, groups, sizes, temperature }: MicroBatch,
  onPolicy: boolean,
  groupCount: number,
): Promise<ObjectiveRows> {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const advantages = groups.flatMap((group) => [...group.advantages]);
  const byToken = groups.flatMap(({ rollouts: members, tokenAdvantages }) =>
    members.map((_, i) => tokenAdvantages?.[i]),
  );
  const selections = groups.flatMap(({ rollouts: members, tokenSelection }) =>
    members.map((_, i) => tokenSelection?.[i]),
  );
  const { aggregation, uses } = step.methods;
  const coefficientOf = Float64Array.from(
    groups.flatMap((group) => {
      const groupTokens = sum((group.whole ?? group).rollouts, lossTokens);
      return group.rollouts.map((rollout, i) => {
        const tokens = lossTokens(rollout);
        const place = { groups: groupCount, groupTokens, tokenWeight: lossTokenWeight(group, i) };
        return tokens === 0 ? 0 : aggregation.part(tokens, sizes, place);
      });
    }),
  );
  const entropyShare = entropyCoefficient(step, sizes);
  const each = (value: (completion: number, token: number) => number): Float32Array => byRow(batch, value);
  const isScoredLater = uses.has(refDistributions) && !needsObservation(step); // with the distributions, in one pass
  const refLogprobs =
    uses.sets.has('reference') && !isScoredLater
      ? (await policy.score(batch, temperature, 'reference')).logprobs
      : undefined;
  return {
    oldLogprobs: onPolicy ? 'current' : each((completion, token) => ratioTo(rollouts[completion])[token]),
    refLogprobs,
    coefficients: each((completion) => coefficientOf[completion] ?? 0),
    entropyCoefficients: each((completion, token) =>
      coefficientOf[completion] === 0 || selections[completion]?.[token] === 0 ? 0 : entropyShare,
    ),
    advantages: each((completion, token) => byToken[completion]?.[token] ?? advantages[completion] ?? 0),
  };
}

/**
 * [tokens] denominators of a rollout's ratio: log-probs of the policy that sampled it, or of the one before the first
 * step on its batch.
 */
function ratioTo({ logprobs, proximalLogprobs = logprobs }: Rollout): Float32Array {
  return proximalLogprobs;
}

function checkFinite(losses: Float32Array, batch: PackedBatch, groups: readonly CreditedGroup[], step: number): void {
  const row = losses.findIndex((loss) => !Number.isFinite(loss));
  if (row < 0) return;
  throw notFinite(
    `loss of token ${batch.tokenOf[row]} of completion ${batch.completionOf[row]}`,
    losses[row],
    step,
    groups,
  );
}

/** Carries the offending batch, so that the run can keep it for inspection. */
function notFinite(
  what: string,
  value: number | undefined,
  step: number,
  groups: readonly CreditedGroup[],
): NumericsError {
  const message =
    `step ${step + 1}: ${what} is ${value}. The weights are those of step ${step}; nothing was changed.\n` +
    '  Lower learning_rate or max_grad_norm, or look at the batch that was kept.';
  return new NumericsError('non-finite', message, {
    step,
    what,
    value: String(value),
    batch: groups.map(({ item, rollouts, advantages }) => ({
      prompt: item.prompt,
      completions: rollouts.map(({ text, tokens, logprobs, reward }, i) => ({
        text,
        tokens: [...tokens],
        logprobs: Array.from(logprobs, String),
        reward,
        advantage: String(advantages[i]),
      })),
    })),
  });
}
