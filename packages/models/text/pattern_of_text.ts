/** A text as the source of a regular expression that matches this text and nothing else. */
export function patternOfText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
