/**
 * Forks: rows of the tokens that several sequences share after one prefix, like branches of a tree, are computed once.
 * The other sequences copy their keys and values, and wait a step if the rows are computed in the current one. A row's
 * bits depend only on its keys and their order, so only the work changes.
 */
import { commonLength } from './openings.ts';
import type { SequenceState } from './sampled_sequence.ts';

/** Fewer tokens are not worth a copy in every layer, or a step of waiting. */
const LEAST_TOKENS = 16;

/** Rows that a sequence may take from another. */
export interface Fork {
  readonly from: SequenceState;
  /** Tokens: all but its newest at most, whose own row it needs to sample. */
  readonly length: number;
}

/**
 * The sequence that has most of the rows that this one lacks; `later` if another will have sufficiently more after this
 * step; undefined if none has enough.
 *
 * @param sequences  those that hold rows of the cache
 * @param step  the step being scheduled
 */
export function forkOf(
  sequence: SequenceState,
  sequences: Iterable<SequenceState>,
  step: number,
): Fork | 'later' | undefined {
  const { source, fed, count } = sequence;
  const most = count - 1;
  if (fed > 0 || most < LEAST_TOKENS) return undefined;
  const tokens = sequence.tokens;
  let best: Fork | undefined;
  let later = 0;
  for (const other of sequences) {
    if (other === sequence || other.source !== source || other.fed < LEAST_TOKENS) continue;
    const length = Math.min(other.fed, most, commonLength(other.tokens, tokens));
    const available = Math.min(length, other.fedIn === step ? other.fedBefore : other.fed);
    if (available >= LEAST_TOKENS && available > (best?.length ?? 0)) best = { from: other, length: available };
    later = Math.max(later, length);
    if (best?.length === most) break;
  }
  return later - (best?.length ?? 0) >= LEAST_TOKENS ? 'later' : best;
}
