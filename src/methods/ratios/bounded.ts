/**
 * Log-ratios before they become ratios: within ±20, as in verl. What is beyond belongs to a policy that has nothing to do
 * with the one that sampled; its ratio would be infinite in the end, and infinity times an advantage of 0 no number.
 */

const MOST_LOG_RATIO = 20;

/** NaN stays NaN: a loss that is not finite is to be seen. */
export function bounded(logRatio: number): number {
  return Math.min(Math.max(logRatio, -MOST_LOG_RATIO), MOST_LOG_RATIO);
}
