/**
 * Sums the loss terms of a stage over one micro-batch and accumulates their derivatives in the engine.
 *
 * If the engine's own kernel computes every term, nothing is read back between forward and backward. Otherwise the
 * log-probs come to the host, the terms add up in float64, and the derivatives go back.
 */

import type { Named } from '../../methods/create.ts';
import type {
  BatchObserver,
  LossContext,
  LossGradient,
  LossSequence,
  LossTerm,
  Measures,
  TokenWeight,
} from '../../methods/points.ts';
import type { CreditedGroup } from '../../methods/records.ts';
import { distributions } from '../../methods/uses/distributions.ts';
import { hiddenGradients } from '../../methods/uses/hidden_rows.ts';
import type { PackedBatch } from '../../model/batch.ts';
import type { OutputName, Policy, Scores, ScoresWithLoss } from '../../model/policy.ts';
import type { ObjectiveSettings } from '../../model/programs.ts';
import type { Step } from '../step.ts';
import type { GroupPart } from './group_parts.ts';
import { type KnownRows, lossSequences } from './loss_sequences.ts';
import type { StepMeter } from './meter.ts';

/** One micro-batch and what is known of its loss rows. */
export interface ObjectiveBatch {
  readonly batch: PackedBatch;
  readonly groups: readonly GroupPart[];
  readonly rows: KnownRows;
  readonly temperature: number;
  readonly sizes: LossContext['sizes'];
  /** The micro-batch is the whole step, so its own forward pass serves as the observation. */
  readonly isObservedWithin?: boolean;
  /** [completions] a teacher's distributions at the completion's own tokens, if a term has a teacher. */
  readonly teachers?: readonly (Float32Array | undefined)[];
}

/** Adds the gradients of one micro-batch; its terms measure into the meter. */
export async function accumulateObjective(
  policy: Policy,
  step: Step,
  micro: ObjectiveBatch,
  meter: StepMeter,
): Promise<ScoresWithLoss> {
  const { batch, groups, rows, temperature } = micro;
  const update: Update = { sizes: micro.sizes, onPolicy: rows.oldLogprobs === 'current' };
  const isWeighted = actingWeights(step, update).length > 0 || groups.some(hasTokenWeights);
  const isNarrowed = batch.supports !== undefined;
  const outputs = outputsFor(step);
  const isHosted = isWeighted || isNarrowed || micro.isObservedWithin || outputs.length > 0;
  const settings = isHosted ? undefined : deviceSettings(step.methods.lossTerms.map(({ part }) => part));
  if (settings !== undefined) {
    const scores = await policy.accumulate(batch, temperature, rows, settings);
    measureTerms(step, update, () => lossSequences(batch, groups, rows, scores).sequences, meter);
    return scores;
  }
  const forward = await policy.forward(batch, temperature, outputs);
  const loss = lossSequences(batch, groups, rows, forward, micro.teachers);
  if (micro.isObservedWithin) tellObservers(step, micro, loss.sequences);
  const gradients = loss.gradients();
  const sequences = addTerms(step, update, loss.sequences, gradients.bySequence);
  const { losses, ...derivatives } = gradients.toRows();
  await policy.backward(derivatives);
  measureTerms(step, update, () => sequences, meter);
  return { ...forward, losses };
}

/** What the terms of a stage read besides log-probs and entropies. */
function outputsFor({ methods: { uses } }: Step): OutputName[] {
  return [
    ...(uses.has(distributions) ? (['distributions'] as const) : []),
    ...(uses.has(hiddenGradients) ? (['hidden'] as const) : []),
  ];
}

/** The update under way, as terms see it. */
export interface Update {
  readonly sizes: LossContext['sizes'];
  /** Every ratio is exactly 1. */
  readonly onPolicy: boolean;
}

/** Computes the terms of one micro-batch on the host. @returns the sequences with the token weights of this update */
export function addTerms(
  step: Step,
  update: Update,
  unweighed: readonly LossSequence[],
  gradients: readonly LossGradient[],
): readonly LossSequence[] {
  const sequences = weighed(step, update, unweighed);
  for (const { id, part } of step.methods.lossTerms) part.add(sequences, gradients, lossContext(step, update, id));
  return sequences;
}

function observersOf({ methods: { tokenWeights, lossTerms } }: Step): readonly Named<BatchObserver>[] {
  return [...tokenWeights, ...lossTerms];
}

/** Tells the parts of the loss the groups of an optimizer step. */
export function beginStep(step: Step, groups: readonly CreditedGroup[]): void {
  for (const { id, part } of observersOf(step)) part.begin?.(groups, step.context(id));
}

/** Whether a part of the loss asks for the log-probs of the whole step before its first micro-batch. */
export function needsObservation(step: Step): boolean {
  return observersOf(step).some(({ part }) => part.observe !== undefined);
}

/** Lets the parts that need it see the whole optimizer step. @param scoresOf  of a micro-batch, before the step */
export async function observeStep(
  step: Step,
  micros: readonly ObjectiveBatch[],
  scoresOf: (micro: ObjectiveBatch) => Promise<Scores>,
): Promise<void> {
  const sequences: LossSequence[] = [];
  for (const micro of micros) {
    const { batch, groups, rows } = micro;
    sequences.push(...lossSequences(batch, groups, rows, await scoresOf(micro)).sequences);
  }
  const [first] = micros;
  if (first !== undefined) tellObservers(step, first, sequences);
}

function tellObservers(step: Step, { sizes }: ObjectiveBatch, sequences: readonly LossSequence[]): void {
  for (const { id, part } of observersOf(step)) part.observe?.(sequences, lossContext(step, { sizes }, id));
}

function lossContext(step: Step, { sizes }: Pick<Update, 'sizes'>, id: string): LossContext {
  const { ratio, objective } = step.methods;
  return { ...step.context(id), sizes, ratio: ratio.part, objective: objective.part };
}

type NamedWeight = { readonly id: string; readonly part: TokenWeight };

function actingWeights({ methods }: Step, { onPolicy }: Update): readonly NamedWeight[] {
  return methods.tokenWeights.filter(({ part }) => !part.isIdle && !(onPolicy && part.offPolicyOnly));
}

/** The sequences with the token weights of this update. */
function weighed(step: Step, update: Update, sequences: readonly LossSequence[]): readonly LossSequence[] {
  const weighing = actingWeights(step, update);
  if (weighing.length === 0) return sequences;
  const weights = sequences.map(({ coefficients: { length } }) => ({
    weights: new Float64Array(length).fill(1),
    importance: new Float64Array(length).fill(1),
  }));
  for (const { id, part } of weighing) part.weigh(sequences, weights, lossContext(step, update, id));
  return sequences.map((sequence, i): LossSequence => {
    const { weights: own, importance } = weights[i];
    for (let t = 0; t < own.length; t++) own[t] *= sequence.weights[t];
    return { ...sequence, weights: own, importance };
  });
}

/** Token weights apply to the policy's term only, which the kernel cannot separate from the others. */
function hasTokenWeights({ tokenWeights, tokenSelection }: CreditedGroup): boolean {
  return tokenWeights !== undefined || tokenSelection !== undefined;
}

/** The kernel's settings; undefined if it does not compute every term. */
function deviceSettings(terms: readonly LossTerm[]): ObjectiveSettings | undefined {
  if (terms.some(({ device }) => device === undefined)) return undefined;
  return Object.assign({}, ...terms.map(({ device }) => device?.settings)) as ObjectiveSettings; // the kernel's own names
}

/** Whether a term of the stage pays for entropy. */
export function paysForEntropy({ methods }: Step): boolean {
  return methods.lossTerms.some(({ part }) => part.device?.entropyCoefficient !== undefined);
}

/** Weight of each loss token's entropy, where the kernel computes the terms. */
export function entropyCoefficient({ methods }: Step, sizes: LossContext['sizes']): number {
  return methods.lossTerms.reduce((sum, { part }) => sum + (part.device?.entropyCoefficient?.(sizes) ?? 0), 0);
}

/** @param sequences  called only where a part measures something */
export function measureTerms(
  step: Step,
  update: Update,
  sequences: () => readonly LossSequence[],
  meter: StepMeter,
): void {
  const { onPolicy } = update;
  const { lossTerms } = step.methods;
  let cached: readonly LossSequence[] | undefined;
  const measureBy = (id: string, { zeroOnPolicy, add }: Measures): void => {
    if (onPolicy && zeroOnPolicy !== undefined) {
      for (const name of zeroOnPolicy) meter.mean(name, 0, 0);
      return;
    }
    cached ??= sequences();
    const context = lossContext(step, update, id);
    for (const sequence of cached) add(sequence, meter, context);
  };
  for (const { id, part } of [...lossTerms, ...actingWeights(step, update)]) {
    if (part.measures !== undefined) measureBy(id, part.measures);
  }
}
