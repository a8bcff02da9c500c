import { closest } from 'fastest-levenshtein';

/** `; did you mean "x"?` for error messages, or nothing where there is no name to choose from. */
export function didYouMean(name: string, known: readonly string[]): string {
  return known.length === 0 ? '' : `; did you mean "${closest(name, [...known])}"?`;
}
