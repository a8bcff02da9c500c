/**
 * Translates between a batch's rows and what loss terms see. The prompt's last row predicts the first tokens of all of
 * a group's completions, so these are adjacent; a term sees each completion's tokens in order.
 */
import type { LossGradient, LossSequence, ScoredText, TeacherScores, TrainedText } from '../../methods/points.ts';
import type { PackedBatch } from '../../model/batch.ts';
import type { ObjectiveRows, ScoreDerivatives, Scores } from '../../model/policy.ts';
import type { GroupPart } from './group_parts.ts';

export interface LossSequences {
  readonly sequences: readonly LossSequence[];
  /** Zeros for the terms to add to. */
  gradients(): LossGradients;
}

export interface LossGradients {
  /** One per sequence. */
  readonly bySequence: readonly LossGradient[];
  /** All of them, put back into the order of the batch's loss rows. */
  toRows(): ScoreDerivatives & { readonly losses: Float32Array };
}

/** What is known of each loss row before the forward pass. */
export interface KnownRows extends ObjectiveRows {
  /** [loss rows × vocabulary] log-probs under the reference. */
  readonly refDistributions?: Float32Array;
  /** Under the run's teacher. */
  readonly teacher?: TeacherScores;
}

/**
 * @param groups    the batch's groups, in order
 * @param teachers  [completions] distributions of a teacher, where there is one
 */
export function lossSequences(
  batch: PackedBatch,
  groups: readonly GroupPart[],
  rows: KnownRows,
  scores: Scores,
  teachers: readonly (Float32Array | undefined)[] = [],
): LossSequences {
  const members = groups.flatMap((group) => group.rollouts.map((rollout, i) => ({ group, rollout, i })));
  const { offsets, places, inOrder } = tokenOrder(
    batch,
    members.map(({ rollout }) => rollout.tokens.length),
  );
  const count = offsets[members.length];
  const logprobs = inOrder(scores.logprobs);
  const oldLogprobs = rows.oldLogprobs === 'current' ? logprobs : inOrder(rows.oldLogprobs);
  const refLogprobs = rows.refLogprobs && inOrder(rows.refLogprobs);
  const entropies = inOrder(scores.entropies);
  const advantages = inOrder(rows.advantages);
  const coefficients = inOrder(rows.coefficients);
  const ones = new Float32Array(count).fill(1);
  const wide = (values: Float32Array): Float32Array => inWideOrder(values, places, count);
  const distributions = scores.distributions && wide(scores.distributions);
  const refDistributions = rows.refDistributions && wide(rows.refDistributions);
  const taught = rows.teacher && inOrder(rows.teacher.logprobs);
  const taughtWhole = rows.teacher?.distributions && wide(rows.teacher.distributions);
  const hidden = scores.hidden && wide(scores.hidden);
  const widthOf = (values: Float32Array | undefined): number => (values?.length ?? 0) / Math.max(1, batch.lossRowCount);
  const [vocabSize, hiddenSize] = [widthOf(scores.distributions), widthOf(scores.hidden)];
  const sequences = members.map(({ group, rollout, i }, c): LossSequence => {
    const part = (values: Float32Array): Float32Array => values.subarray(offsets[c], offsets[c + 1]);
    const ownRows = (values: Float32Array, width = vocabSize): Float32Array =>
      values.subarray(offsets[c] * width, offsets[c + 1] * width);
    const ownLogprobs = part(logprobs);
    return {
      group: group.whole ?? group,
      rollout,
      logprobs: ownLogprobs,
      oldLogprobs: oldLogprobs === logprobs ? ownLogprobs : part(oldLogprobs),
      refLogprobs: refLogprobs && part(refLogprobs),
      entropies: part(entropies),
      advantages: part(advantages),
      weights: selected(group.tokenWeights?.[i] ?? part(ones), group.tokenSelection?.[i]),
      ...(group.tokenSelection && { selection: group.tokenSelection[i] }),
      coefficients: part(coefficients),
      ...(distributions && { distributions: ownRows(distributions) }),
      ...(refDistributions && { refDistributions: ownRows(refDistributions) }),
      ...(hidden && { hidden: ownRows(hidden, hiddenSize) }),
      ...(teachers[c] && { teacherDistributions: teachers[c] }),
      ...(taught && {
        teacher: { logprobs: part(taught), ...(taughtWhole && { distributions: ownRows(taughtWhole) }) },
      }),
    };
  });
  return { sequences, gradients: () => emptyGradients(offsets, places, { vocabSize, hiddenSize }) };
}

/** A term's own texts, in the order of the batch. */
export function scoredTexts(
  batch: PackedBatch,
  texts: readonly TrainedText[],
  scores: Scores,
): { readonly texts: readonly ScoredText[]; readonly gradients: LossGradients } {
  const { offsets, places, inOrder } = tokenOrder(
    batch,
    texts.map(({ behind, tokens }) => (behind?.length ?? 0) + tokens.length),
  );
  const [logprobs, entropies] = [inOrder(scores.logprobs), inOrder(scores.entropies)];
  const gradients = emptyGradients(offsets, places, { vocabSize: 0, hiddenSize: 0 });
  /** Those of the tokens that carry a loss. */
  const lossPart = <Values extends Float32Array | Float64Array>(values: Values, { tokens }: TrainedText): Values =>
    values.subarray(values.length - tokens.length) as Values; // a part is of the same kind
  return {
    texts: texts.map((text, c) => ({
      ...text,
      logprobs: lossPart(logprobs.subarray(offsets[c], offsets[c + 1]), text),
      entropies: lossPart(entropies.subarray(offsets[c], offsets[c + 1]), text),
    })),
    gradients: {
      ...gradients,
      bySequence: gradients.bySequence.map(({ losses, dLogprobs, dEntropies }, c) => ({
        losses: lossPart(losses, texts[c]),
        dLogprobs: lossPart(dLogprobs, texts[c]),
        dEntropies: lossPart(dEntropies, texts[c]),
      })),
    },
  };
}

/** The order of the tokens of a batch's completions in one sequence. */
interface TokenOrder {
  /** [completions + 1] of the tokens of all completions. */
  readonly offsets: Int32Array;
  /** [loss rows] index of each row's token. */
  readonly places: Int32Array;
  /** From the order of the loss rows to that of the tokens. */
  inOrder(values: Float32Array): Float32Array;
}

/** @param lengths  [completions] in tokens */
function tokenOrder(batch: PackedBatch, lengths: readonly number[]): TokenOrder {
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, c) => {
    offsets[c + 1] = offsets[c] + length;
  });
  const places = placesOf(batch, offsets);
  const inOrder = (values: Float32Array): Float32Array => {
    const ordered = new Float32Array(offsets[lengths.length]);
    for (let row = 0; row < places.length; row++) ordered[places[row]] = values[row];
    return ordered;
  };
  return { offsets, places, inOrder };
}

/** Weights, 0 where the token is not selected. */
function selected(weights: Float32Array, selection: Float32Array | undefined): Float32Array {
  return selection === undefined ? weights : weights.map((weight, t) => weight * selection[t]);
}

/** [loss rows] index of each row's token among the tokens of all completions. */
function placesOf({ completionOf, tokenOf }: PackedBatch, offsets: Int32Array): Int32Array {
  const places = new Int32Array(completionOf.length);
  for (let row = 0; row < places.length; row++) places[row] = offsets[completionOf[row]] + tokenOf[row];
  return places;
}

/** Reorders rows of the vocabulary's width from batch order to token order. */
function inWideOrder(values: Float32Array, places: Int32Array, count: number): Float32Array {
  const width = values.length / Math.max(1, places.length);
  const ordered = new Float32Array(count * width);
  places.forEach((place, row) => {
    ordered.set(values.subarray(row * width, (row + 1) * width), place * width);
  });
  return ordered;
}

/**
 * @param offsets  [completions + 1] of the tokens of all completions
 * @param widths  0 without distributions, and without hidden rows
 */
function emptyGradients(
  offsets: Int32Array,
  places: Int32Array,
  { vocabSize, hiddenSize }: { readonly vocabSize: number; readonly hiddenSize: number },
): LossGradients {
  const members = offsets.length - 1;
  const zeros = (): Float64Array => new Float64Array(offsets[members]);
  const [losses, dLogprobs, dEntropies] = [zeros(), zeros(), zeros()];
  const inRows = (values: Float64Array): Float32Array => {
    const out = new Float32Array(places.length);
    for (let row = 0; row < places.length; row++) out[row] = values[places[row]];
    return out;
  };
  const wide = (width: number): Float64Array | undefined =>
    width === 0 ? undefined : new Float64Array(offsets[members] * width);
  const [dLogits, dHidden] = [wide(vocabSize), wide(hiddenSize)];
  const inWideRows = (values: Float64Array, width: number): Float32Array => {
    const out = new Float32Array(places.length * width);
    places.forEach((place, row) => {
      out.set(values.subarray(place * width, (place + 1) * width), row * width);
    });
    return out;
  };
  return {
    bySequence: Array.from({ length: members }, (_, c): LossGradient => {
      const part = (values: Float64Array, width = 1): Float64Array =>
        values.subarray(offsets[c] * width, offsets[c + 1] * width);
      return {
        losses: part(losses),
        dLogprobs: part(dLogprobs),
        dEntropies: part(dEntropies),
        ...(dLogits && { dLogits: part(dLogits, vocabSize) }),
        ...(dHidden && { dHidden: part(dHidden, hiddenSize) }),
      };
    }),
    toRows: () => ({
      losses: inRows(losses),
      logprobs: inRows(dLogprobs),
      entropies: inRows(dEntropies),
      ...(dLogits && { distributions: inWideRows(dLogits, vocabSize) }),
      ...(dHidden && { hidden: inWideRows(dHidden, hiddenSize) }),
    }),
  };
}
