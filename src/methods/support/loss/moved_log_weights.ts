/** How much more probable tokens are than when they were sampled. */
import type { Rollout } from '../../records.ts';

/**
 * [tokens] log π_old/π_sampled: π_old is the policy before the first step on the batch if it was scored, otherwise the
 * one that sampled; π_sampled is the sampler truncated by top-k, top-p and min-p. Float64.
 */
export function movedLogWeights({ logprobs, proximalLogprobs, keptLogMass }: Rollout): Float64Array {
  const weights = Float64Array.from(keptLogMass);
  if (proximalLogprobs === undefined) return weights;
  for (let t = 0; t < weights.length; t++) weights[t] += proximalLogprobs[t] - logprobs[t];
  return weights;
}
