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
  /** Zeros for the terms to add to. */
  gradients(): LossGradients;
}

export interface LossGradients {
  /** One per sequence. */
  readonly bySequence: readonly LossGradient[];
  /** All of them, put back into the order of the batch's loss rows. */
  toRows(): Readonly<Record<keyof LossGradient, Float32Array>>;
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
  const count = offsets[members.length];
  const places = placesOf(batch, offsets);
  const inOrder = (values: Float32Array): Float32Array => {
    const ordered = new Float32Array(count);
    for (let row = 0; row < places.length; row++) ordered[places[row]] = values[row];
    return ordered;
  };
  const logprobs = inOrder(scores.logprobs);
  const oldLogprobs = rows.oldLogprobs === 'current' ? logprobs : inOrder(rows.oldLogprobs);
  const refLogprobs = rows.refLogprobs && inOrder(rows.refLogprobs);
  const entropies = inOrder(scores.entropies);
  const advantages = inOrder(rows.advantages);
  const coefficients = inOrder(rows.coefficients);
  const ones = new Float32Array(count).fill(1);
  const sequences = members.map(({ group, rollout, i }, c): LossSequence => {
    const own = (values: Float32Array): Float32Array => values.subarray(offsets[c], offsets[c + 1]);
    const ownLogprobs = own(logprobs);
    return {
      group,
      rollout,
      logprobs: ownLogprobs,
      oldLogprobs: oldLogprobs === logprobs ? ownLogprobs : own(oldLogprobs),
      refLogprobs: refLogprobs && own(refLogprobs),
      entropies: own(entropies),
      advantages: own(advantages),
      weights: selected(group.tokenWeights?.[i] ?? own(ones), group.tokenSelection?.[i]),
      ...(group.tokenSelection && { selection: group.tokenSelection[i] }),
      coefficients: own(coefficients),
    };
  });
  return { sequences, gradients: () => emptyGradients(offsets, places) };
}

/** Weights, 0 where the token is not selected. */
function selected(weights: Float32Array, selection: Float32Array | undefined): Float32Array {
  return selection === undefined ? weights : weights.map((weight, t) => weight * selection[t]);
}

/** [loss rows] where each row's token stands among the tokens of all completions. */
function placesOf({ completionOf, tokenOf }: PackedBatch, offsets: Int32Array): Int32Array {
  const places = new Int32Array(completionOf.length);
  for (let row = 0; row < places.length; row++) places[row] = offsets[completionOf[row]] + tokenOf[row];
  return places;
}

/** @param offsets  [completions + 1] of the tokens of all completions */
function emptyGradients(offsets: Int32Array, places: Int32Array): LossGradients {
  const members = offsets.length - 1;
  const zeros = (): Float64Array => new Float64Array(offsets[members]);
  const [losses, dLogprobs, dEntropies] = [zeros(), zeros(), zeros()];
  const inRows = (values: Float64Array): Float32Array => {
    const out = new Float32Array(places.length);
    for (let row = 0; row < places.length; row++) out[row] = values[places[row]];
    return out;
  };
  return {
    bySequence: Array.from({ length: members }, (_, c): LossGradient => {
      const own = (values: Float64Array): Float64Array => values.subarray(offsets[c], offsets[c + 1]);
      return { losses: own(losses), dLogprobs: own(dLogprobs), dEntropies: own(dEntropies) };
    }),
    toRows: () => ({ losses: inRows(losses), dLogprobs: inRows(dLogprobs), dEntropies: inRows(dEntropies) }),
  };
}
