/**
 * One of several options as an answer, by its letter, its text, or both where they agree; and truth values.
 *
 *   choice = letter | "(" letter ")" | letter ("." | ")") [text] | text         letters A, B, …, in either case
 *
 * An answer that names two options is none: nothing is searched for inside a sentence.
 */
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

/** The place of the option that was chosen, from 0, or why none was. */
export type ChoiceReading =
  | { readonly ok: true; readonly index: number }
  | { readonly ok: false; readonly reason: string };

const MAX_CHOICE_LENGTH = 256;
const failed = (reason: string): ChoiceReading => ({ ok: false, reason });

/** ASCII letters alone: what counts as the same letter does not depend on Unicode. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Which of the options, at most 26 of them, a text names. Total and pure. */
export function readChoice(answer: string, options: readonly string[]): ChoiceReading {
  const text = trimAscii(answer);
  if (text === '') return failed('the answer is empty');
  if (text.length > MAX_CHOICE_LENGTH) return failed(`longer than ${MAX_CHOICE_LENGTH} characters`);
  const byText = indexOfText(text, options);
  const match = /^(?:([A-Za-z])|\(([A-Za-z])\)|([A-Za-z])[.)](?: +(.*))?)$/.exec(text);
  if (match === null) return byText === undefined ? failed('not one of the options') : { ok: true, index: byText };
  const letter = lower((match[1] ?? match[2] ?? match[3]) as string);
  const index = letter.charCodeAt(0) - 97;
  // An option that is a letter itself: `b` may be the second one, or the one that says "b".
  if (byText !== undefined && byText !== index) return failed('letter and text name different options');
  if (index >= options.length) return failed('there is no such option');
  const claimed = match[4] === undefined ? index : indexOfText(trimAscii(match[4]), options);
  return claimed === index ? { ok: true, index } : failed('letter and text name different options');
}

/** The option of a text, where there is just one. */
function indexOfText(text: string, options: readonly string[]): number | undefined {
  const matches = options.flatMap((option, index) => (lower(option) === lower(text) ? [index] : []));
  return matches.length === 1 ? matches[0] : undefined;
}

/** `true` or `false` in either case; `yes` and `no` only where the task says so. Undefined for anything else. */
export function readTruth(
  answer: string,
  words: readonly [yes: string, no: string] = ['true', 'false'],
): boolean | undefined {
  const text = lower(trimAscii(answer));
  if (text === words[0]) return true;
  return text === words[1] ? false : undefined;
}
