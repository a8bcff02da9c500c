/** Trimming for answers: what counts as space does not depend on Unicode. */

function isTrimmed(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 10;
}

/** Removes ASCII space, tab, CR and LF at both ends, and nothing else: no Unicode white space, in linear time. */
export function trimAscii(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isTrimmed(text.charCodeAt(start))) start++;
  while (end > start && isTrimmed(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
