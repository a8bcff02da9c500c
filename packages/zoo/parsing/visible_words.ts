/** The words, tokens and paragraphs of a text for people: white space is that of Unicode, and each has a letter or a digit. */

const VISIBLE = /[\p{L}\p{N}]/u;

/** Whether a text has a letter or a digit. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** Pieces between white space that have a letter or a digit. */
export function wordsOf(text: string): string[] {
  return text.split(/\s+/u).filter(isVisible);
}

/** Pieces between empty lines that are visible. */
export function paragraphsOf(text: string): string[] {
  return text.split(/\n[ \t]*(?:\n[ \t]*)+/).filter(isVisible);
}

/** Letters, digits and what joins them, in lower case: `Tree's` has the words tree and s. */
export function tokensOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== '');
}
