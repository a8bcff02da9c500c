/** Where the reasoning of a completion ends and its answer begins: at a mark. */
import { text } from '../../options/keys.ts';

/** Schema of the option that says what the mark is. */
export const MARK = text('<answer>')
  .default('<answer>')
  .describe('What stands between the reasoning and the answer of a completion. Default <answer>.');

/** Tokens up to the end of the first mark; undefined where there is none. */
export function endOfMark(tokens: Int32Array, mark: string, textOf: (id: number) => string): number | undefined {
  let written = '';
  for (const [place, id] of tokens.entries()) {
    written += textOf(id);
    if (written.includes(mark)) return place + 1;
  }
  return undefined;
}

/** Where the first mark begins: the last token from which on `tokens` up to `end` still hold all of it. */
export function startOfMark(tokens: Int32Array, end: number, mark: string, textOf: (id: number) => string): number {
  let written = '';
  let place = end;
  while (!written.includes(mark)) written = textOf(tokens[--place]) + written;
  return place;
}
