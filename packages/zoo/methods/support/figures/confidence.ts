/** How sure the policy was of what it wrote. */
import type { SampledAnswer } from '../../../../../src/methods/points.ts';

/** Geometric mean of the probabilities of its tokens, in (0, 1]; 1 of nothing. */
export function confidenceOf({ logprob, tokens }: Pick<SampledAnswer, 'logprob' | 'tokens'>): number {
  return Math.exp(logprob / Math.max(1, tokens.length));
}
