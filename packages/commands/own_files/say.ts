/** How checks of a user's files say what they saw. */

/** What a part was given, and what it gave. */
export interface Example {
  readonly given: string;
  readonly gives: string;
}

/** Three digits: `0.25`, `1`. */
export function shortNumber(value: number): string {
  return String(Number(value.toPrecision(3)));
}
