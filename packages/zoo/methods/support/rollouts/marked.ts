/** Where the reasoning of a completion ends and its answer begins: at a mark. */
import { text } from '../../../../../src/options/keys.ts';

/** Schema of the option that says what the mark is. */
export const MARK = text('<answer>')
  .default('<answer>')
  .describe('What separates the reasoning and the answer of a completion.');

/** Tokens up to the end of the first mark; undefined where there is none. */
export function endOfMark(tokens: Int32Array, mark: string, textOf: (id: number) => string): number | undefined {
  let written = '';
  for (const [place, id] of tokens.entries()) {
    written += textOf(id);
    if (written.includes(mark)) return place + 1;
  }
  return undefined;
}

/**
 * A right answer without its reasoning: what follows its first mark, and the mark by itself, after which it is scored
 * where there is no reasoning. Without a mark all of it is the reference.
 */
export function referenceOf(
  known: Int32Array,
  mark: string,
  textOf: (id: number) => string,
): { readonly alone: Int32Array; readonly reference: Int32Array } {
  const end = endOfMark(known, mark, textOf) ?? 0;
  const start = end === 0 ? 0 : startOfMark(known, end, mark, textOf);
  return { alone: known.subarray(start, end), reference: known.subarray(end) };
}

/** Where the first mark begins: the last token from which on `tokens` up to `end` still hold all of it. */
function startOfMark(tokens: Int32Array, end: number, mark: string, textOf: (id: number) => string): number {
  let written = '';
  let place = end;
  while (!written.includes(mark)) written = textOf(tokens[--place]) + written;
  return place;
}
