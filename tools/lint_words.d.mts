/** A word to be said otherwise. */
export interface WordRule {
  readonly pattern: string;
  readonly say: string;
  readonly allowed?: readonly string[];
  readonly comments?: boolean;
}

export function wordsIn(
  file: string,
  text: string,
  list: readonly WordRule[],
): { readonly line: number; readonly word: string; readonly remedy: string }[];
