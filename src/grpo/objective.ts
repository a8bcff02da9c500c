/**
 * The objective of a stage: the sum of its terms over one micro-batch, turned into derivatives in the engine.
 *
 * Where the engine's own kernel computes every term, nothing is read back between forward and backward. Otherwise
 * the log-probs come to the host, the terms add up in float64, and the derivatives go back. Both begin and end the same way.
 */
import type { LossContext, LossTerm } from '../methods/points.ts';
import type { CreditedGroup } from '../methods/records.ts';
import type { PackedBatch } from '../model/batch.ts';
import type { ObjectiveRows, Policy, ScoresWithLoss } from '../model/policy.ts';
import type { ObjectiveSettings } from '../model/programs.ts';
import { type LossSequences, lossSequences } from './loss_sequences.ts';
import type { StepScope } from './step_scope.ts';

export interface ObjectiveResult {
  readonly scores: ScoresWithLoss;
  /** Sums over the loss tokens that are not masked, by the name of the metric. */
  readonly measured: ReadonlyMap<string, number>;
}

/** One micro-batch and what is known of its loss rows. */
export interface ObjectiveBatch {
  readonly batch: PackedBatch;
  readonly groups: readonly CreditedGroup[];
  readonly rows: ObjectiveRows;
  readonly temperature: number;
  readonly sizes: LossContext['sizes'];
}

export async function accumulateObjective(
  policy: Policy,
  scope: StepScope,
  { batch, groups, rows, temperature, sizes }: ObjectiveBatch,
): Promise<ObjectiveResult> {
  const { lossTerms } = scope.methods;
  const settings = isWeighted(groups) ? undefined : deviceSettings(lossTerms.map(({ part }) => part));
  if (settings !== undefined) {
    const scores = await policy.accumulate(batch, temperature, rows, settings);
    const sequences = (): LossSequences => lossSequences(batch, groups, rows, scores);
    return { scores, measured: measure(scope, sequences, rows) };
  }
  const forward = await policy.forward(batch, temperature);
  const found = lossSequences(batch, groups, rows, forward);
  const gradients = found.gradients();
  for (const { id, part } of lossTerms) {
    part.add(found.sequences, gradients.bySequence, { ...scope.context(id), sizes });
  }
  const { losses, ...derivatives } = gradients.toRows();
  await policy.backward(derivatives);
  return { scores: { ...forward, losses }, measured: measure(scope, () => found, rows) };
}

/** Token weights apply to the policy's own term alone, which the kernel cannot tell from the others. */
function isWeighted(groups: readonly CreditedGroup[]): boolean {
  return groups.some(({ tokenWeights }) => tokenWeights !== undefined);
}

/** What the kernel is set to; undefined where it does not compute every term. */
function deviceSettings(terms: readonly LossTerm[]): ObjectiveSettings | undefined {
  if (terms.some(({ device }) => device === undefined)) return undefined;
  return Object.assign({}, ...terms.map(({ device }) => device?.settings)) as ObjectiveSettings; // the kernel's own names
}

/** Weight of each loss token's entropy, where the kernel computes the terms. */
export function entropyCoefficient({ methods }: StepScope, sizes: LossContext['sizes']): number {
  return methods.lossTerms.reduce((sum, { part }) => sum + (part.device?.entropyCoefficient?.(sizes) ?? 0), 0);
}

/** @param sequences  called only where a term measures something */
function measure(
  { methods }: StepScope,
  sequences: () => LossSequences,
  { oldLogprobs }: ObjectiveRows,
): ReadonlyMap<string, number> {
  const measured = new Map<string, number>();
  let found: LossSequences | undefined;
  for (const { part } of methods.lossTerms) {
    if (part.measures === undefined) continue;
    const { names, offPolicyOnly, add } = part.measures;
    const sums = new Float64Array(names.length);
    if (!(offPolicyOnly && oldLogprobs === 'current')) {
      found ??= sequences();
      for (const sequence of found.sequences) add(sequence, sums);
    }
    names.forEach((name, i) => {
      measured.set(name, (measured.get(name) ?? 0) + sums[i]);
    });
  }
  return measured;
}
