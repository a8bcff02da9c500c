/** What the ratios of whole completions share: log-ratios added up over the tokens that carry a loss. */
import type { RatioSequence } from '../../points.ts';

/** Sum of the log-ratios, and how many there are. */
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

/** Adds the same to every token that carries a loss: the sum of the slopes, times `factor`. */
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
