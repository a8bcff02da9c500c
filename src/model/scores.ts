/** What is asked of a policy by loss row, and what it answers: [loss rows] each, in the order of the batch. */

/** What a loss needs to know of each loss row of a batch. */
export interface ObjectiveRows {
  /** [loss rows], or 'current': the log-probs of this very pass, so that every ratio is exactly 1. */
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

/** The loss by each row's log-prob and entropy: [loss rows] each, in the batch's order. */
export interface ScoreDerivatives {
  readonly dLogprobs: Float32Array;
  readonly dEntropies: Float32Array;
  /** [loss rows × vocabulary] by the tempered logits, where the forward pass was asked for distributions. */
  readonly dLogits?: Float32Array | undefined;
}

/** Per loss row, in the batch's order. */
export interface Scores {
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
  /** [loss rows × vocabulary] tempered log-probs of every token, where they were asked for. */
  readonly distributions?: Float32Array;
}

/** What a forward pass is to give besides log-probs and entropies. */
export interface ScoreOptions {
  /** Only of a policy whose capacity has `distributionRows`, and of a batch with no more loss rows. */
  readonly distributions?: boolean;
}

export interface ScoresWithLoss extends Scores {
  /** Each row's share of the step's loss; their sum over all micro-batches is the loss. */
  readonly losses: Float32Array;
}
