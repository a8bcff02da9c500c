/**
 * Openings of a batch: tokens that prompts of several groups begin with alike, a system text or example turns. Their rows
 * are there once, with the first group that has them, and go through the layers once, forward and back.
 *
 * Attention reads two stretches of keys, and those of a group lie next to each other: so each layer copies keys and values
 * of an opening to the stretches of the other groups, and adds up what these copies get back. A log-prob keeps its bits. The
 * gradient of an opening's rows is added up over the groups of a batch before it goes through the layers, which is another
 * order than that of groups in batches of their own; so this is done only where it saves much.
 */
import { commonLength } from './sampling/openings.ts';

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
  const found: (BatchOpening | undefined)[] = [];
  prompts.forEach((prompt, index) => {
    let longest: BatchOpening | undefined;
    for (let of = 0; of < index; of++) {
      if (found[of] !== undefined) continue;
      const length = Math.min(commonLength(prompt, prompts[of] as Int32Array), prompt.length - 1);
      if (length >= LEAST_TOKENS && length > (longest?.length ?? 0)) longest = { of, length };
    }
    found.push(longest);
  });
  return found;
}

/** @param begins  [groups] where each group's keys and values begin */
export function copiesOf(openings: readonly (BatchOpening | undefined)[], begins: ArrayLike<number>): OpeningCopies {
  const copiesOfRow = new Map<number, number[]>();
  let [begin, end] = [Number.POSITIVE_INFINITY, 0];
  openings.forEach((opening, group) => {
    if (opening === undefined) return;
    const [from, to] = [begins[opening.of] as number, begins[group] as number];
    [begin, end] = [Math.min(begin, to), Math.max(end, to + opening.length)];
    for (let t = 0; t < opening.length; t++) {
      const copies = copiesOfRow.get(from + t) ?? [];
      copiesOfRow.set(from + t, copies);
      copies.push(to + t);
    }
  });
  if (copiesOfRow.size === 0) return NONE;
  const all = Int32Array.from({ length: end - begin }, (_, i) => begin + i);
  const rows = Int32Array.from(copiesOfRow.keys()).sort();
  const offsets = new Int32Array(rows.length + 1);
  const sorted: number[] = [];
  rows.forEach((row, i) => {
    const copies = copiesOfRow.get(row) as number[];
    for (const copy of copies) all[copy - begin] = row;
    sorted.push(...copies);
    offsets[i + 1] = sorted.length;
  });
  return { begin, from: all, rows, copies: Int32Array.from(sorted), offsets };
}

const NONE: OpeningCopies = {
  begin: 0,
  from: new Int32Array(),
  rows: new Int32Array(),
  copies: new Int32Array(),
  offsets: new Int32Array(1),
};
