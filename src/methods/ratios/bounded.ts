/**
 * Bounds log-ratios to ±20, as in verl, before they become ratios. Beyond that the policy is unrelated to the one that
 * sampled; the ratio could overflow, and infinity times an advantage of 0 is NaN.
 */
import type { Ratio } from '../points.ts';

const MOST_LOG_RATIO = 20;

/** NaN stays NaN, so that a loss that is not finite shows. */
export function bounded(logRatio: number): number {
  return Math.min(Math.max(logRatio, -MOST_LOG_RATIO), MOST_LOG_RATIO);
}

/** The log of a completion's whole ratio, with each token bounded, for surrogates that treat it as a constant. */
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
