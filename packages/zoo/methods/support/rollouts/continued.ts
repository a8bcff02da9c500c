/** Completions that are sampled in several pieces, each continuing the one before it. */
import type { Rollout } from '../../../../../src/methods/records.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';

/** What is known of the tokens that a completion was begun with. */
export type Beginning = Pick<Rollout, 'tokens' | 'logprobs' | 'entropies' | 'keptLogMass' | 'labels' | 'support'>;

/**
 * A completion whose beginning is what was sampled, and no longer what was put in: with its log-probs, entropies and labels as
 * they were then.
 *
 * @param piece  sampled with `beginning.tokens` as its prefix
 */
export function continued(beginning: Beginning, piece: Rollout): Rollout {
  const joined = <Numbers extends Float32Array | Uint8Array>(all: Numbers, first: Numbers): Numbers => {
    const both = all.slice() as Numbers;
    both.set(first);
    return both;
  };
  const { labels: _, support: __, ...rest } = piece;
  const width =
    (piece.support?.length ?? 0) / piece.tokens.length || (beginning.support?.length ?? 0) / beginning.tokens.length;
  const labels = joined(labelsOf(piece), labelsOf(beginning));
  return {
    ...rest,
    logprobs: joined(piece.logprobs, beginning.logprobs),
    entropies: joined(piece.entropies, beginning.entropies),
    keptLogMass: joined(piece.keptLogMass, beginning.keptLogMass),
    ...(labels.some((label) => label !== TOKEN.sampled) && { labels }),
    ...(width > 0 && { support: joined(supportOf(piece, width), supportOf(beginning, width)) }),
  };
}

/** Everything could be sampled where nothing is said. */
function supportOf({ tokens, support }: Pick<Beginning, 'tokens' | 'support'>, width: number): Uint8Array {
  return support ?? new Uint8Array(tokens.length * width).fill(255);
}

function labelsOf({ tokens, labels }: Pick<Beginning, 'tokens' | 'labels'>): Uint8Array {
  return labels ?? new Uint8Array(tokens.length).fill(TOKEN.sampled);
}

/** Whether more of it could be sampled: neither the policy nor a limit of the completion has ended it. */
export function isOpen(
  { tokens, finishReason }: Pick<Rollout, 'tokens' | 'finishReason'>,
  mostTokens: number,
): boolean {
  return finishReason === 'length' && tokens.length < mostTokens;
}
