/**
 * Aggregation: how the losses of tokens become one number. Every `loss_type` shares the clipped surrogate and
 * differs only in the weight c of a token, so the step's loss is Σ c·ℓ and micro-batches simply add up.
 *
 *   grpo     c = 1/(B·Lᵢ)        each completion counts the same
 *   bnpo     c = 1/(n·N_micro)   each token of a micro-batch counts the same, then the n micro-batches
 *   dr_grpo  c = 1/(B·L_max)     a constant: long and short answers weigh by their length (arXiv:2503.20783)
 *   dapo     c = 1/N             each token of the optimizer step counts the same (arXiv:2503.14476)
 *
 * B completions and N unmasked tokens in the optimizer step, Lᵢ unmasked tokens of completion i.
 */
export type LossType = 'grpo' | 'bnpo' | 'dr_grpo' | 'dapo';

/** Sizes of one optimizer step and of the micro-batch at hand. */
export interface StepSizes {
  /** B: completions of the step, those with every token masked included. */
  readonly completions: number;
  /** N: tokens of the step that carry a loss. */
  readonly lossTokens: number;
  /** L_max: `max_completion_length`. */
  readonly maxCompletionTokens: number;
  readonly microBatches: number;
  /** N_micro: tokens of this micro-batch that carry a loss. */
  readonly microLossTokens: number;
}

/** Weight of one unmasked token of a completion with `tokens` unmasked tokens (at least 1). */
export function tokenCoefficient(type: LossType, tokens: number, sizes: StepSizes): number {
  switch (type) {
    case 'grpo':
      return 1 / (sizes.completions * tokens);
    case 'bnpo':
      return 1 / (sizes.microBatches * Math.max(1, sizes.microLossTokens));
    case 'dr_grpo':
      return 1 / (sizes.completions * sizes.maxCompletionTokens);
    case 'dapo':
      return 1 / Math.max(1, sizes.lossTokens);
  }
}
