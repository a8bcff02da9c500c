/**
 * Openings of a batch: tokens that prompts of several groups begin with alike, a system text or example turns. Their rows
 * are there once, with the first group that has them, and go through the layers once, forward and back.
 *
 * Attention reads two stretches of keys, and those of a group lie next to each other: so each layer copies keys and values
 * of an opening to the stretches of the other groups, and adds up what these copies get back. A log-prob keeps its bits. The
 * gradient of an opening's rows is added up over the groups of a batch before it goes through the layers, which is another
 * order than that of groups in batches of their own; so this is done only where it saves much.
 */
import { bucketTokens } from './buckets.ts';
import { openingOf } from './sampling/openings.ts';

/** Fewer tokens are computed in each group. */
const LEAST_TOKENS = 64;

/** The first tokens of a group's prompt, where an earlier group has the same. */
export interface BatchOpening {
  readonly of: number;
  readonly length: number;
}

/** Rows of keys and values that are copies, and of what. */
export interface OpeningCopies {
  /** Copies are among the rows [begin, begin + from.length), and each row there is a copy of `from`: of itself where it is none. */
  readonly begin: number;
  readonly from: Int32Array;
  /** Rows that have copies, ascending; the copies of each, in order; [rows + 1] where those of each begin. */
  readonly rows: Int32Array;
  readonly copies: Int32Array;
  readonly offsets: Int32Array;
}

/** Rows of keys and values that openings may take part in: none where no prompt is long enough for one. */
export function openingRoom({ rows, context }: { readonly rows: number; readonly context: number }): number {
  return context > LEAST_TOKENS ? rows : 0;
}

/** Tokens that a batch has once, of those that all its prompts begin with alike. */
export function openedTokens(shared: number): number {
  return shared >= LEAST_TOKENS ? shared : 0;
}

/** [groups] the longest opening that an earlier group has whole; a prompt's last token is its own. */
export function openingsOf(prompts: readonly Int32Array[]): (BatchOpening | undefined)[] {
  const found: { readonly group: number; readonly tokens: Int32Array; readonly opening: BatchOpening | undefined }[] =
    [];
  prompts.forEach((tokens, group) => {
    const longest = openingOf(tokens, found, LEAST_TOKENS);
    found.push({ group, tokens, opening: longest && { of: longest.of.group, length: longest.length } });
  });
  return found.map(({ opening }) => opening);
}

/** @param begins  [groups] where each group's keys and values begin, ascending */
export function copiesOf(openings: readonly (BatchOpening | undefined)[], begins: ArrayLike<number>): OpeningCopies {
  const sources: number[] = [];
  const copies: number[] = [];
  openings.forEach((opening, group) => {
    for (let t = 0; opening !== undefined && t < opening.length; t++) {
      sources.push((begins[opening.of] as number) + t);
      copies.push((begins[group] as number) + t);
    }
  });
  const begin = copies[0] ?? 0;
  const end = (copies[copies.length - 1] ?? begin - 1) + 1;
  const from = Int32Array.from({ length: end - begin }, (_, i) => begin + i);
  copies.forEach((copy, i) => {
    from[copy - begin] = sources[i] as number;
  });
  const { sortedRows, bucketTokens: rows, bucketOffsets: offsets } = bucketTokens(Int32Array.from(sources));
  return { begin, from, rows, copies: sortedRows.map((i) => copies[i] as number), offsets };
}
