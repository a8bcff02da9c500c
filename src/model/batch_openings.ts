/**
 * Openings of a batch: tokens that prompts of several groups have in common at the start, such as a system text or
 * example turns. The first group with an opening has its rows, which pass through the layers once, forward and back.
 *
 * Attention reads two intervals of keys, and a group's keys must be contiguous. So each layer copies an opening's keys
 * and values for the other groups, and adds up the copies' gradients. Log-probs keep their bits. The gradient of an
 * opening's rows is summed over the batch's groups before it passes through the layers, which is another order of sums
 * than with separate batches; so openings are used only where they save much.
 */
import { bucketTokens } from './buckets.ts';
import { openingOf } from './sampling/openings.ts';

/** Shorter openings are computed in each group. */
const LEAST_TOKENS = 64;

/** The first tokens of a group's prompt, where an earlier group has the same. */
export interface BatchOpening {
  readonly of: number;
  readonly length: number;
}

/** Rows of keys and values that are copies, and their sources. */
export interface OpeningCopies {
  /** Copies are among the rows [begin, begin + from.length). `from` is each row's source: itself if it is no copy. */
  readonly begin: number;
  readonly from: Int32Array;
  /** Rows that have copies, ascending; the copies of each, in order; [rows + 1] where those of each begin. */
  readonly rows: Int32Array;
  readonly copies: Int32Array;
  readonly offsets: Int32Array;
}

/** Rows of keys and values that openings may involve: none if no prompt is long enough. */
export function openingRoom({ rows, context }: { readonly rows: number; readonly context: number }): number {
  return context > LEAST_TOKENS ? rows : 0;
}

/** Tokens of the prompts' common beginning that a batch computes once. */
export function openedTokens(shared: number): number {
  return shared >= LEAST_TOKENS ? shared : 0;
}

/** [groups] the longest opening that an earlier group has completely, without the prompt's last token. */
export function openingsOf(prompts: readonly Int32Array[]): (BatchOpening | undefined)[] {
  const earlier: { readonly group: number; readonly tokens: Int32Array; readonly opening: BatchOpening | undefined }[] =
    [];
  prompts.forEach((tokens, group) => {
    const longest = openingOf(tokens, earlier, LEAST_TOKENS);
    earlier.push({ group, tokens, opening: longest && { of: longest.of.group, length: longest.length } });
  });
  return earlier.map(({ opening }) => opening);
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
  const sourceRows = Int32Array.from({ length: end - begin }, (_, i) => begin + i);
  copies.forEach((copy, i) => {
    sourceRows[copy - begin] = sources[i] as number;
  });
  const { sortedRows, bucketTokens: rows, bucketOffsets: offsets } = bucketTokens(Int32Array.from(sources));
  return { begin, from: sourceRows, rows, copies: sortedRows.map((i) => copies[i] as number), offsets };
}
