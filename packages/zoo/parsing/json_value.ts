/**
 * A JSON value as an answer: strict, without repair. Beyond `JSON.parse`, a key may occur once in an object, numbers
 * are finite and keep their digits, texts have no half of a surrogate pair, which no encoding can write, and nesting is bounded.
 */
import type { Json } from '../../../src/options/json.ts';
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

const MAX_JSON_LENGTH = 65_536;
const MAX_DEPTH = 64;
/** Decimal digits that a double tells apart, however they are chosen. */
const KEPT_DIGITS = 15;
const HALF_CHARACTER = 'a text has half of a surrogate pair';

/** The value of a text that is JSON, alone or in one fenced block, or why it is none. */
export type JsonReading = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly reason: string };

const failed = (reason: string): JsonReading => ({ ok: false, reason });

/** The value of a text, alone or in one fenced block. Total and pure, in one pass before the parser's. */
export function readJson(answer: string): JsonReading {
  const text = withoutFence(trimAscii(answer));
  if (text === '') return failed('the answer is empty');
  if (!text.isWellFormed()) return failed(HALF_CHARACTER);
  if (text.length > MAX_JSON_LENGTH) return failed(`longer than ${MAX_JSON_LENGTH} characters`);
  const broken = structureBroken(text);
  if (broken !== undefined) return failed(broken);
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    if (error instanceof SyntaxError) return failed('not JSON');
    throw error;
  }
}

function withoutFence(text: string): string {
  const match = /^```(?:json)?\r?\n([^`]*)\r?\n```$/.exec(text);
  return match === null ? text : trimAscii(match[1] as string);
}

/** End of the string that begins at `start`, after its quote; -1 where it does not end. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  return -1;
}

/** What `JSON.parse` would not say; undefined where there is nothing, or what it does say. */
function structureBroken(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let i = 0; i < text.length; ) {
    const character = text[i] as string;
    if (character === '"') {
      const end = endOfString(text, i);
      if (end < 0) return 'a text is not closed';
      const quoted = text.slice(i, end);
      if (quoted.includes('\\u') && !unescaped(quoted).isWellFormed()) return HALF_CHARACTER;
      const keys = open[open.length - 1];
      let after = end;
      while (after < text.length && ' \t\r\n'.includes(text[after] as string)) after++;
      if (keys !== undefined && text[after] === ':') {
        const key = unescaped(quoted);
        if (keys.has(key)) return 'a key is there twice';
        keys.add(key);
      }
      i = end;
      continue;
    }
    if (character === '{' || character === '[') {
      if (open.length === MAX_DEPTH) return `nested deeper than ${MAX_DEPTH}`;
      open.push(character === '{' ? new Set() : undefined);
    } else if (character === '}' || character === ']') open.pop();
    else if (character === '-' || (character >= '0' && character <= '9')) {
      let end = i + 1;
      while (end < text.length && /[0-9.eE+-]/.test(text[end] as string)) end++;
      const written = text.slice(i, end);
      if (!Number.isFinite(Number(written))) return 'a number is too large';
      // Others would be equal to it: a double has no more digits.
      if (digitsOf(written) > KEPT_DIGITS && String(Number(written)) !== written) return 'a number has too many digits';
      i = end;
      continue;
    }
    i++;
  }
  return undefined;
}

/** Significant digits of a number as it is written. */
function digitsOf(written: string): number {
  return written
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '').length;
}

/** Escapes resolved, so that "a" and "\u0061" are one key; a broken text is left to the parser. */
function unescaped(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted; // JSON.parse of the whole will refuse it
  }
}
