/**
 * A list as an answer: elements in their order, each as it is written.
 *
 *   list = ["["] element {separator element} ["]"]      separators all commas (spaces beside them) or all spaces
 *
 * Elements are without spaces and commas, or all of them are in quotes of one kind. There is no trailing comma, and a
 * bracket that opens is closed. One pass over at most `MAX_LIST_LENGTH` characters.
 */
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

const MAX_LIST_LENGTH = 4096;

/** The elements in their order, as texts, or why the answer is no list. */
export type ListReading =
  | { readonly ok: true; readonly elements: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): ListReading => ({ ok: false, reason });

/** The elements of a list; `[]` has none. Total and pure. */
export function readList(answer: string): ListReading {
  const text = trimAscii(answer);
  if (text === '') return failed('the answer is empty');
  if (text.length > MAX_LIST_LENGTH) return failed(`longer than ${MAX_LIST_LENGTH} characters`);
  const opens = text.startsWith('[');
  if (opens !== text.endsWith(']')) return failed('a bracket is not closed');
  const inside = opens ? trimAscii(text.slice(1, -1)) : text;
  if (inside === '') return { ok: true, elements: [] };
  const quote = inside[0] === '"' || inside[0] === "'" ? inside[0] : undefined;
  const elements = quote === undefined ? bareElements(inside) : quotedElements(inside, quote);
  return elements === undefined ? failed('not a list with one kind of separators') : { ok: true, elements };
}

const isSpace = (character: string | undefined): boolean => character === ' ';

function bareElements(text: string): string[] | undefined {
  const hasCommas = text.includes(',');
  const elements = hasCommas ? text.split(',').map(withoutSpaces) : text.split(' ').filter((part) => part !== '');
  return elements.every((element) => /^[^\s"'[\],]+$/.test(element)) ? elements : undefined;
}

function withoutSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

function quotedElements(text: string, quote: string): string[] | undefined {
  const elements: string[] = [];
  let position = 0;
  let commas: boolean | undefined;
  for (;;) {
    if (text[position] !== quote) return undefined;
    const end = text.indexOf(quote, position + 1);
    if (end < 0) return undefined;
    elements.push(text.slice(position + 1, end));
    position = end + 1;
    if (position === text.length) return elements;
    const from = position;
    while (isSpace(text[position])) position++;
    const hasComma = text[position] === ',';
    if (hasComma) position++;
    else if (position === from) return undefined;
    while (isSpace(text[position])) position++;
    if (commas !== undefined && commas !== hasComma) return undefined;
    commas = hasComma;
  }
}

/** Whether two lists agree element by element, as `isSame` has it. */
export function sameElements<T>(
  read: readonly string[],
  truth: readonly T[],
  isSame: (element: string, expected: T) => boolean,
): boolean {
  return read.length === truth.length && truth.every((expected, index) => isSame(read[index] as string, expected));
}
