/**
 * Forks: sequences that begin with the same tokens after one prefix, as the branches of a tree do, have the rows of these
 * computed once. The others take copies of their keys and values, and wait a step where the first has its rows computed in
 * this very one. A row's bits depend on its keys and their order alone, so nothing changes but the work.
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
 * The sequence that has most of what this one lacks; `later` where another will have enough more of it after this step;
 * undefined where none has enough.
 *
 * @param sequences  those that hold rows of the cache
 * @param step       the one that is being made up
 */
export function forkOf(
  sequence: SequenceState,
  sequences: Iterable<SequenceState>,
  step: number,
): Fork | 'later' | undefined {
  const { source, fed, count } = sequence;
  const most = count - 1;
  if (fed > 0 || most < LEAST_TOKENS) return undefined;
  const own = sequence.tokens;
  let best: Fork | undefined;
  let later = 0;
  for (const from of sequences) {
    if (from === sequence || from.source !== source || from.fed < LEAST_TOKENS) continue;
    const length = Math.min(from.fed, most, commonLength(from.tokens, own));
    const there = Math.min(length, from.fedIn === step ? from.fedBefore : from.fed);
    if (there >= LEAST_TOKENS && there > (best?.length ?? 0)) best = { from, length: there };
    later = Math.max(later, length);
    if (best?.length === most) break;
  }
  return later - (best?.length ?? 0) >= LEAST_TOKENS ? 'later' : best;
}
