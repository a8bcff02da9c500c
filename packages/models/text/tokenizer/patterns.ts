/**
 * Patterns of a tokenizer.json, which are Oniguruma's, as JavaScript reads them. Its classes are Unicode's, `$` ends a
 * line, and a class may have others in it.
 */
import { patternOfText } from '../pattern_of_text.ts';
import type { Json } from './parts.ts';

/** A part of a text: what the pattern matches, or what lies between. */
export interface Match {
  readonly begin: number;
  readonly end: number;
  readonly isMatch: boolean;
}

/** The parts of a text, in order, with none left out. */
export function matchesOf(pattern: RegExp, text: string): Match[] {
  const parts: Match[] = [];
  let done = 0;
  for (const { index, 0: found } of text.matchAll(pattern)) {
    const end = index + found.length;
    if (found === '' && index === done && index > 0) continue; // none right after a match
    if (index > done) parts.push({ begin: done, end: index, isMatch: false });
    parts.push({ begin: index, end, isMatch: true });
    done = end;
  }
  if (done < text.length) parts.push({ begin: done, end: text.length, isMatch: false });
  return parts;
}

/** @param pattern  `{ String }` or `{ Regex }` @throws Error where it is neither, or not known */
export function patternOf(pattern: Json | undefined): RegExp {
  const { String: text, Regex: regex } = pattern ?? {};
  if (typeof regex === 'string') return compilePattern(regex);
  if (typeof text !== 'string') throw new Error(`the pattern ${JSON.stringify(pattern)} is none`);
  return new RegExp(patternOfText(text), 'gv');
}

/** Puts the content where the pattern matches; `$1` in the content has no special meaning. */
export function replacer(pattern: Json | undefined, content: string): (text: string) => string {
  const compiled = patternOf(pattern);
  return (text) => {
    const parts = matchesOf(compiled, text);
    return parts.map(({ begin, end, isMatch }) => (isMatch ? content : text.slice(begin, end))).join('');
  };
}

/** @throws Error where JavaScript has nothing alike */
export function compilePattern(regex: string): RegExp {
  try {
    return new RegExp(new Reader(regex).pattern(), 'gv');
  } catch (error) {
    throw new Error(`the pattern ${regex} is not read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The inside of a class, without its brackets. */
const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}';
/** A word outside of a class has these too, by a table of Latin-1. */
const WORD_ALONE = `${WORD}\\u00b2\\u00b3\\u00b9\\u00bc-\\u00be`;
const CLASSES: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  h: '0-9A-Fa-f',
  s: '\\p{White_Space}',
  w: WORD,
};
const POSIX: Readonly<Record<string, string>> = {
  alnum: '\\p{Alphabetic}\\p{Nd}',
  alpha: '\\p{Alphabetic}',
  blank: '\\t\\p{Zs}',
  cntrl: '\\p{Cc}',
  digit: '\\p{Nd}',
  lower: '\\p{Lowercase}',
  punct: '\\p{P}\\p{S}',
  space: '\\p{White_Space}',
  upper: '\\p{Uppercase}',
  word: WORD,
  xdigit: '0-9A-Fa-f',
};
const CONTROLS: Readonly<Record<string, string>> = {
  a: '\x07',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
/** `\\p{Punct}` has no other symbols than ASCII's. */
const ASCII_PUNCT = '\\p{P}$+<=>\\^`\\|~';
const edge = (isBetween: boolean): string => {
  const [before, after] = [`(?<=[${WORD_ALONE}])`, `(?=[${WORD_ALONE}])`];
  const [none, nothing] = [`(?<![${WORD_ALONE}])`, `(?![${WORD_ALONE}])`];
  return isBetween ? `(?:${before}${nothing}|${none}${after})` : `(?:${before}${after}|${none}${nothing})`;
};
const PLACES: Readonly<Record<string, string>> = {
  A: '(?<![^])',
  B: edge(false),
  G: '',
  Z: '(?=\\n?(?![^]))',
  b: edge(true),
  z: '(?![^])',
};

class Reader {
  readonly #source: string;
  #at = 0;
  #atomics = 0;
  #ignoresCase = false;

  constructor(source: string) {
    this.#source = source;
  }

  pattern(): string {
    const pattern = this.#alternatives();
    if (this.#at < this.#source.length) throw new Error('a ) without its (');
    return pattern;
  }

  #takes(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern.source, 'suy');
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source);
    if (found === null) return undefined;
    this.#at = sticky.lastIndex;
    return found[1] ?? found[0];
  }

  #alternatives(): string {
    const ignoresCase = this.#ignoresCase; // as it was: a group ends what `(?i)` in it began
    let pattern = '';
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      pattern += this.#takes(/\|/) ?? this.#repeated(this.#atom());
    }
    this.#ignoresCase = ignoresCase;
    return pattern;
  }

  #repeated(atom: string): string {
    let pattern = atom;
    for (;;) {
      const braces = this.#takes(/\{(\d+(?:,\d*)?|,\d+)\}/);
      const sign = braces === undefined ? this.#takes(/[*+?]/) : `{${braces.startsWith(',') ? `0${braces}` : braces}}`;
      if (sign === undefined) return pattern;
      if (this.#takes(/\?/) !== undefined) {
        pattern = /^\{\d+\}$/.test(sign) ? `(?:${pattern}${sign})?` : `(?:${pattern}${sign}?)`;
      } else if (braces === undefined && this.#takes(/\+/) !== undefined) {
        pattern = this.#atomic(pattern + sign);
      } else {
        pattern = `(?:${pattern}${sign})`;
      }
    }
  }

  /** What a group has matched is not tried otherwise: an assertion has one match alone. */
  #atomic(pattern: string): string {
    const name = `_${this.#atomics++}`;
    return `(?:(?=(?<${name}>${pattern}))\\k<${name}>)`;
  }

  #atom(): string {
    if (this.#takes(/\(/) !== undefined) return this.#group();
    if (this.#takes(/\[/) !== undefined) return this.#class();
    if (this.#takes(/\./) !== undefined) return '[^\\n]';
    if (this.#takes(/\^/) !== undefined) return '(?<![^\\n])';
    if (this.#takes(/\$/) !== undefined) return '(?![^\\n])';
    if (this.#takes(/\\/) !== undefined) {
      const place = this.#takes(/[ABGZbz]/);
      if (place !== undefined) return PLACES[place];
      const word = this.#takes(/[wW]|[pP]\{Word\}/);
      if (word !== undefined) return `[${/^[WP]/.test(word) ? '^' : ''}${WORD_ALONE}]`;
      const { text, character } = this.#escape();
      return character === undefined ? `[${text}]` : this.#letter(character);
    }
    const character = this.#takes(/./);
    if (character === undefined || /[*+?]/.test(character)) throw new Error(`nothing before ${character}`);
    return this.#letter(character);
  }

  #group(): string {
    const ignoresCase = this.#ignoresCase;
    const kind = this.#takes(/\?(?:<?[=!]|:|>|i:|<\w+>|i\))/) ?? '';
    if (kind === '' && this.#takes(/\?/) !== undefined)
      throw new Error(`a group that begins (?${this.#source[this.#at]}`);
    if (kind.startsWith('?i')) this.#ignoresCase = true;
    if (kind === '?i)') return '';
    const inside = this.#alternatives();
    this.#ignoresCase = ignoresCase;
    if (this.#takes(/\)/) === undefined) throw new Error('a ( without its )');
    if (kind === '?>') return this.#atomic(`(?:${inside})`);
    return kind.endsWith('=') || kind.endsWith('!') ? `(${kind}${inside})` : `(?:${inside})`;
  }

  /** After a backslash. @returns a class, or a character */
  #escape(): { readonly text: string; readonly character?: string } {
    const property = this.#takes(/[pP]\{[^}]+\}/);
    if (property !== undefined) return { text: propertyOf(property) };
    const named = this.#takes(/[dDhHsSwW]/);
    if (named !== undefined) {
      const members = CLASSES[named.toLowerCase()];
      return { text: named === named.toLowerCase() ? members : `[^${members}]` };
    }
    const code =
      this.#takes(/x\{([0-9A-Fa-f]{1,8})\}/) ?? this.#takes(/x([0-9A-Fa-f]{1,2})/) ?? this.#takes(/u([0-9A-Fa-f]{4})/);
    if (code !== undefined) return ofCharacter(String.fromCodePoint(Number.parseInt(code, 16)));
    const character = this.#takes(/./) ?? '';
    if (Object.hasOwn(CONTROLS, character)) return ofCharacter(CONTROLS[character]);
    if (/[A-Za-z0-9]/.test(character) || character === '') throw new Error(`\\${character}`);
    return ofCharacter(character);
  }

  #letter(character: string): string {
    const folded = this.#ignoresCase ? folds(character) : [character];
    return folded.length === 1 ? written(character) : `[${folded.map(written).join('')}]`;
  }

  /** After its bracket. */
  #class(): string {
    const isNegated = this.#takes(/\^/) !== undefined;
    const operands: string[] = [];
    let members: string[] = [];
    let isFirst = true;
    for (; ; isFirst = false) {
      if (this.#at >= this.#source.length) throw new Error('a [ without its ]');
      if (!isFirst && this.#takes(/\]/) !== undefined) break;
      if (this.#takes(/&&/) !== undefined) {
        operands.push(`[${members.join('')}]`);
        members = [];
      } else {
        members.push(this.#member());
      }
    }
    operands.push(`[${members.join('')}]`);
    const all = operands.length === 1 ? members.join('') : operands.join('&&');
    return `[${isNegated ? '^' : ''}${all}]`;
  }

  #member(): string {
    const posix = this.#takes(/\[:(\^?[a-z]+):\]/);
    if (posix !== undefined) {
      const members = POSIX[posix.replace('^', '')];
      if (members === undefined) throw new Error(`[:${posix}:]`);
      return posix.startsWith('^') ? `[^${members}]` : members;
    }
    if (this.#takes(/\[/) !== undefined) return this.#class();
    const begin = this.#inClass();
    if (begin.character === undefined) return begin.text;
    const isRange = this.#takes(/-(?!\]|&&)/) !== undefined;
    if (!isRange) return this.#letters([begin.character]);
    const end = this.#inClass();
    if (end.character === undefined) throw new Error(`a range from ${begin.character} to a class`);
    const range = `${begin.text}-${end.text}`;
    return this.#ignoresCase ? range + this.#letters(lettersBetween(begin.character, end.character)) : range;
  }

  #letters(characters: readonly string[]): string {
    return characters
      .flatMap((each) => (this.#ignoresCase ? folds(each) : [each]))
      .map(written)
      .join('');
  }

  #inClass(): { readonly text: string; readonly character?: string } {
    if (this.#takes(/\\/) !== undefined) return this.#takes(/b/) === undefined ? this.#escape() : ofCharacter('\b');
    return ofCharacter(this.#takes(/./) ?? '');
  }
}

function ofCharacter(character: string): { readonly text: string; readonly character: string } {
  return { text: written(character), character };
}

/** A character as itself, in a class and outside. */
function written(character: string): string {
  return /[\p{L}\p{N}]/u.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** A character in every case: ſ is an s, and the sign of Kelvin a k. */
function folds(character: string): string[] {
  const alike = new RegExp(`^${written(character)}$`, 'iv');
  return [...new Set([character, character.toLowerCase(), character.toUpperCase(), 'ſ', '\u212a', '\u212b'])].filter(
    (each) => alike.test(each),
  );
}

function lettersBetween(begin: string, end: string): string[] {
  return [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'].filter(
    (letter) => letter >= begin && letter <= end,
  );
}

/** `p{L}` in JavaScript's words. */
function propertyOf(property: string): string {
  const [, sign, hat, name] = /^([pP])\{(\^?)([^}]+)\}$/.exec(property) ?? [];
  const isNegated = (sign === 'P') !== (hat === '^');
  const posix = name === 'Punct' ? ASCII_PUNCT : POSIX[name.toLowerCase()];
  if (posix !== undefined) return isNegated ? `[^${posix}]` : posix;
  for (const known of [name, `Script=${name}`]) {
    try {
      new RegExp(`\\p{${known}}`, 'v');
      return `\\${isNegated ? 'P' : 'p'}{${known}}`;
    } catch {
      // a script is named without its key
    }
  }
  throw new Error(`\\${property}`);
}
