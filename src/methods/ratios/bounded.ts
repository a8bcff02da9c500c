/**
 * Log-ratios before they become ratios: within ±20, as in verl. What is beyond belongs to a policy that has nothing to do
 * with the one that sampled; its ratio would be infinite in the end, and infinity times an advantage of 0 no number.
 */
import type { Ratio } from '../points.ts';

const MOST_LOG_RATIO = 20;

/** NaN stays NaN: a loss that is not finite is to be seen. */
export function bounded(logRatio: number): number {
  return Math.min(Math.max(logRatio, -MOST_LOG_RATIO), MOST_LOG_RATIO);
}

/** The log of a completion's whole ratio, each token kept within bounds; for surrogates that take it as a constant. */
export const boundedSum: Ratio = {
  isPerSequence: true,
  measure({ logprobs, oldLogprobs, coefficients }, logRatios) {
    let sum = 0;
    for (let t = 0; t < coefficients.length; t++) {
      if (coefficients[t] !== 0) sum += bounded(logprobs[t] - oldLogprobs[t]);
    }
    logRatios.fill(sum);
  },
  spread() {}, // it is a constant
};
