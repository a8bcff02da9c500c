/**
 * Words as an answer: a single one of a closed list, and sentences that say of each name what it is.
 *
 *   assignment = clause {(", and " | ", " | " and ") clause} ["."]       clause = name " is " ["a " | "an "] role
 */
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

const MAX_WORDS_LENGTH = 1024;

/** By name, the role that the answer gives it, or why it is none. */
export type AssignmentReading =
  | { readonly ok: true; readonly roles: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): AssignmentReading => ({ ok: false, reason });

/**
 * The role of each name: every one said exactly once, none that is not asked about. Names and roles are as they are
 * written, in this case. Total and pure.
 */
export function readAssignment(answer: string, names: readonly string[], roles: readonly string[]): AssignmentReading {
  const text = trimAscii(answer);
  if (text === '') return failed('the answer is empty');
  if (text.length > MAX_WORDS_LENGTH) return failed(`longer than ${MAX_WORDS_LENGTH} characters`);
  const clauses = (text.endsWith('.') ? text.slice(0, -1) : text).split(/, and |, | and /);
  const assigned = new Map<string, string>();
  for (const clause of clauses) {
    const [name = '', ...rest] = clause.split(' is ');
    const role = rest.join(' is ').replace(/^an? /, '');
    if (!names.includes(name) || !roles.includes(role))
      return failed('a clause does not say of a known name what it is');
    if (assigned.has(name)) return failed('a name is there twice');
    assigned.set(name, role);
  }
  return assigned.size === names.length
    ? { ok: true, roles: Object.fromEntries(assigned) }
    : failed('a name is missing');
}

/** Which word of a closed list a text is, in this case; undefined for anything else. */
export function readWord<W extends string>(answer: string, words: readonly W[]): W | undefined {
  const text = trimAscii(answer);
  return words.find((word) => word === text);
}
