/**
 * Between the rows of a batch and what the terms of a loss see. The first tokens of a group's completions are predicted by
 * the prompt's last row and stand together; a term sees each completion's tokens in their order.
 */
import type { LossGradient, LossSequence } from '../methods/points.ts';
import type { CreditedGroup } from '../methods/records.ts';
import type { PackedBatch } from '../model/batch.ts';
import type { ObjectiveRows, Scores } from '../model/policy.ts';

export interface LossSequences {
  readonly sequences: readonly LossSequence[];
  /** Zeros, one per sequence, for the terms to add to. */
  gradients(): LossGradient[];
  /** A value per token, put back into the order of the batch's loss rows. */
  toRows(of: (gradient: LossGradient) => Float64Array, gradients: readonly LossGradient[]): Float32Array;
}

/** @param groups  the batch's groups, in order */
export function lossSequences(
  batch: PackedBatch,
  groups: readonly CreditedGroup[],
  rows: ObjectiveRows,
  scores: Scores,
): LossSequences {
  const members = groups.flatMap((group) => group.rollouts.map((rollout, i) => ({ group, rollout, i })));
  const offsets = new Int32Array(members.length + 1);
  members.forEach(({ rollout }, c) => {
    offsets[c + 1] = offsets[c] + rollout.tokens.length;
  });
  const places = Int32Array.from(batch.completionOf, (completion, row) => offsets[completion] + batch.tokenOf[row]);
  const inOrder = (values: Float32Array): Float32Array => {
    const ordered = new Float32Array(offsets[members.length]);
    places.forEach((place, row) => {
      ordered[place] = values[row];
    });
    return ordered;
  };
  const logprobs = inOrder(scores.logprobs);
  const oldLogprobs = rows.oldLogprobs === 'current' ? logprobs : inOrder(rows.oldLogprobs);
  const refLogprobs = rows.refLogprobs && inOrder(rows.refLogprobs);
  const entropies = inOrder(scores.entropies);
  const advantages = inOrder(rows.advantages);
  const coefficients = inOrder(rows.coefficients);
  const ones = new Float32Array(offsets[members.length]).fill(1);
  const sequences = members.map(({ group, rollout, i }, c): LossSequence => {
    const own = (values: Float32Array): Float32Array => values.subarray(offsets[c], offsets[c + 1]);
    return {
      group,
      rollout,
      logprobs: own(logprobs),
      oldLogprobs: own(oldLogprobs),
      refLogprobs: refLogprobs && own(refLogprobs),
      entropies: own(entropies),
      advantages: own(advantages),
      weights: group.tokenWeights?.[i] ?? own(ones),
      coefficients: own(coefficients),
    };
  });
  const zeros = (length: number): LossGradient => ({
    losses: new Float64Array(length),
    dLogprobs: new Float64Array(length),
    dEntropies: new Float64Array(length),
  });
  return {
    sequences,
    gradients: () => members.map(({ rollout }) => zeros(rollout.tokens.length)),
    toRows: (of, gradients) =>
      Float32Array.from(batch.completionOf, (completion, row) => of(gradients[completion])[batch.tokenOf[row]]),
  };
}
