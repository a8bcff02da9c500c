/** Shared by ratios of whole completions: log-ratios summed over the tokens with a loss. */
import type { RatioSequence } from '../../points.ts';

/** Sum of the log-ratios, and their number. */
export function addUp({ logprobs, oldLogprobs, coefficients }: RatioSequence): { sum: number; tokens: number } {
  let sum = 0;
  let tokens = 0;
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] === 0) continue;
    sum += logprobs[t] - oldLogprobs[t];
    tokens++;
  }
  return { sum, tokens };
}

/** Adds the sum of the slopes, times `factor`, to every token with a loss. */
export function spreadSum(
  { coefficients }: RatioSequence,
  slopes: Float64Array,
  factor: number,
  dLogprobs: Float64Array,
): void {
  let sum = 0;
  for (let t = 0; t < coefficients.length; t++) sum += slopes[t];
  for (let t = 0; t < coefficients.length; t++) if (coefficients[t] !== 0) dLogprobs[t] += factor * sum;
}
