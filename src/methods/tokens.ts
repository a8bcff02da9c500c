/** Which tokens of a rollout were sampled: those that were put in have neither a loss nor an entropy. */
import { TOKEN } from '../token_kinds.ts';
import type { Rollout } from './records.ts';

/** Tokens that carry a loss: all that were not put in, or none where a mask says so. */
export function lossTokens({ tokens, labels, inLoss }: Pick<Rollout, 'tokens' | 'labels' | 'inLoss'>): number {
  if (inLoss === false) return 0;
  return labels === undefined ? tokens.length : labels.filter((label) => label !== TOKEN.given).length;
}

/** Nats, of the tokens that were sampled. */
export function sampledEntropies({ entropies, labels }: Pick<Rollout, 'entropies' | 'labels'>): Float32Array {
  return labels === undefined ? entropies : entropies.filter((_, t) => labels[t] !== TOKEN.given);
}
