/** Finds where a text stops being JSON, and why: engines' messages differ, and may lack the position. */

export interface JsonFlaw {
  /** UTF-16 units before it. */
  readonly at: number;
  /** `flaw; remedy`. */
  readonly rule: string;
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[A-Za-z_-][A-Za-z_]*/y;
const LITERALS = ['true', 'false', 'null'];
const LINE_ENDS = 'the line ends within the row; write a row on one line';
const NOT_FINITE = ['NaN', 'Infinity', '-Infinity'];

/**
 * @param text  that JSON.parse refuses
 * @param of  whether it is a line with a row, or a whole file
 */
export function firstJsonFlaw(text: string, of: 'line' | 'file'): JsonFlaw {
  const closers: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const matched = pattern.exec(text)?.[0] ?? '';
    at += matched.length;
    return matched;
  };
  const flaw = (rule: string): JsonFlaw =>
    at >= text.length
      ? { at: text.length, rule: of === 'line' ? LINE_ENDS : 'the file ends within its JSON; copy it whole' }
      : { at, rule };
  let expects: 'value' | 'first value' | 'key' | 'first key' | 'next' = 'value';
  for (;;) {
    take(SPACE);
    const character = text[at];
    if (expects === 'next') {
      const closer = closers[closers.length - 1];
      if (closer === undefined)
        return flaw(`text after the ${of === 'line' ? 'row' : 'first value'}; write a row a line`);
      if (character === closer) {
        at++;
        closers.pop();
      } else if (character === ',') {
        at++;
        expects = closer === '}' ? 'key' : 'value';
      } else return flaw(`a comma or ${closer} is missing`);
      continue;
    }
    if ((expects === 'first key' && character === '}') || (expects === 'first value' && character === ']')) {
      at++;
      closers.pop();
      expects = 'next';
      continue;
    }
    if (expects === 'key' || expects === 'first key') {
      if (character !== '"') return flaw('a name in double quotes is missing');
      const end = endOfString(text, at);
      if (typeof end !== 'number') return end;
      at = end;
      take(SPACE);
      if (text[at] !== ':') return flaw('a colon is missing');
      at++;
      expects = 'value';
      continue;
    }
    if (character === '{' || character === '[') {
      at++;
      closers.push(character === '{' ? '}' : ']');
      expects = character === '{' ? 'first key' : 'first value';
      continue;
    }
    expects = 'next';
    if (character === '"') {
      const end = endOfString(text, at);
      if (typeof end !== 'number') return end;
      at = end;
      continue;
    }
    if (take(NUMBER) !== '') continue;
    const begin = at;
    const word = take(WORD);
    if (LITERALS.includes(word)) continue;
    at = begin;
    if (NOT_FINITE.includes(word)) return { at, rule: `${word} is no JSON; leave the row out, or give a number` };
    return flaw('not a JSON value');
  }
}

/** The position after a quoted string, or its flaw. @param begin  of its quote */
function endOfString(text: string, begin: number): number | JsonFlaw {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text.charCodeAt(at) < 0x20) return { at, rule: 'a control character within a text; escape it' };
    if (text[at] !== '\\') continue;
    if (!/^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(at, at + 6))) {
      return { at, rule: 'not an escape of JSON; write a backslash as \\\\' };
    }
    at++;
  }
  return { at: begin, rule: 'a text is not closed; write a row on one line' };
}
