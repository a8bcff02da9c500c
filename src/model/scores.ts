/** Inputs and outputs of a policy by loss row: [loss rows] each, in the order of the batch. */
import type { OutputName } from './outputs/names.ts';

/** What a loss needs to know of each loss row of a batch. */
export interface ObjectiveRows {
  /** [loss rows], or 'current': this pass's own log-probs, so that every ratio is exactly 1. */
  readonly oldLogprobs: Float32Array | 'current';
  /** [loss rows]; needed by a KL term */
  readonly refLogprobs: Float32Array | undefined;
  /** [loss rows] share of a row in the step's loss; 0 masks it */
  readonly coefficients: Float32Array;
  /** [loss rows] share of a row's entropy in the step's bonus */
  readonly entropyCoefficients: Float32Array;
  /** [loss rows] */
  readonly advantages: Float32Array;
}

/**
 * Results of a forward pass by output name: [loss rows × its width], in the batch's order. `distributions`, the
 * tempered log-probs of every token, is as wide as the vocabulary.
 */
export type Scores = { readonly logprobs: Float32Array; readonly entropies: Float32Array } & FurtherValues;

/** Those that are asked for by name. */
type FurtherValues = { readonly [name in OutputName]?: Float32Array | undefined };

/**
 * Derivatives of the loss by the outputs of a forward pass, in the same shapes; absent: 0. For `distributions` they are
 * by the tempered logits.
 */
export type ScoreDerivatives = { readonly logprobs?: Float32Array; readonly entropies?: Float32Array } & FurtherValues;

/** Each row's share of the step's loss too; their sum over all micro-batches is the loss. */
export type ScoresWithLoss = Scores & { readonly losses: Float32Array };
