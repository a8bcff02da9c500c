/** Methods of Python's `str`. */
import { braceFormat, padded } from './format.ts';
import { TemplateError } from './lexer.ts';
import { lengthOf, linesOf, pointsOf, splitText, stripped } from './python_text.ts';
import { type CallArguments, isTrue, itemsOf, Tuple, typeOf, type Value } from './values.ts';

type TextMethod = (text: string, args: CallArguments) => Value;

const CASED = /\p{L}/u;

/** A text argument. */
export function requireText(value: Value | undefined, what: string): string {
  if (typeof value === 'string') return value;
  throw new TemplateError(`${what} must be str, not ${value === undefined ? 'missing' : typeOf(value)}`);
}

/** An int argument. */
export function requireInt(value: Value | undefined, what: string): number {
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  throw new TemplateError(`${what} must be int, not ${value === undefined ? 'missing' : typeOf(value)}`);
}

/** `[from, to]` of `length` elements by Python's rule for a slice of step 1. */
function clamped(length: number, start: Value | undefined, stop: Value | undefined): [number, number] {
  const at = (bound: Value | undefined, fallback: number): number => {
    if (bound === undefined || bound === null) return fallback;
    const index = requireInt(bound, 'slice indices');
    return Math.min(length, Math.max(0, index < 0 ? index + length : index));
  };
  return [at(start, 0), at(stop, length)];
}

function strip(sides: 'both' | 'left' | 'right'): TextMethod {
  return (text, args) => {
    const [characters = null] = args.take('strip()', 'chars');
    return stripped(text, sides, characters === null ? undefined : requireText(characters, 'strip()'));
  };
}

function split(fromRight: boolean): TextMethod {
  return (text, args) => {
    const [separator = null, most = -1n] = args.take('split()', 'sep', 'maxsplit');
    const by = separator === null ? undefined : requireText(separator, 'split()');
    return splitText(text, by, requireInt(most, 'split()'), fromRight);
  };
}

function find(fromRight: boolean, isRequired: boolean): TextMethod {
  return (text, args) => {
    const [part, start, stop] = args.take('find()', 'sub', 'start', 'end');
    const points = pointsOf(text);
    const [from, to] = clamped(points.length, start, stop);
    const within = points.slice(from, to).join('');
    const sought = requireText(part, 'find()');
    const beyond = typeof start === 'bigint' && start > points.length;
    const at = from > to || beyond ? -1 : fromRight ? within.lastIndexOf(sought) : within.indexOf(sought);
    if (at < 0 && isRequired) throw new TemplateError('substring not found');
    return at < 0 ? -1n : BigInt(from + lengthOf(within.slice(0, at)));
  };
}

function edge(side: 'startsWith' | 'endsWith'): TextMethod {
  return (text, args) => {
    const [part, start, stop] = args.take(`${side.toLowerCase()}()`, 'prefix', 'start', 'end');
    const points = pointsOf(text);
    const [from, to] = clamped(points.length, start, stop);
    const within = points.slice(from, to).join('');
    const sought = part instanceof Tuple ? part.items : [part];
    return from <= to && sought.some((each) => within[side](requireText(each, `${side.toLowerCase()} first arg`)));
  };
}

function align(side: '<' | '>' | '^'): TextMethod {
  return (text, args) => {
    const [width, fill = ' '] = args.take('ljust()', 'width', 'fillchar');
    const wide = requireInt(width, 'width');
    const room = wide - lengthOf(text);
    // Python's center gives the odd blank to the left where the width is odd.
    if (side === '^' && room > 0 && room % 2 === 1 && wide % 2 === 1) {
      return padded(` ${text}`.replace(' ', requireText(fill, 'fillchar')), wide, requireText(fill, 'fillchar'), side);
    }
    return padded(text, wide, requireText(fill, 'fillchar'), side);
  };
}

function partition(fromRight: boolean): TextMethod {
  return (text, args) => {
    const separator = requireText(args.take('partition()', 'sep')[0], 'partition()');
    if (separator === '') throw new TemplateError('empty separator');
    const at = fromRight ? text.lastIndexOf(separator) : text.indexOf(separator);
    if (at < 0) return new Tuple(fromRight ? ['', '', text] : [text, '', '']);
    return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
  };
}

function every(pattern: RegExp): TextMethod {
  return (text) => text !== '' && pattern.test(text);
}

function plain(change: (text: string) => Value): TextMethod {
  return (text, args) => {
    args.take('the method');
    return change(text);
  };
}

const TITLE_CASE: Readonly<Record<string, string>> = { ǆ: 'ǅ', Ǆ: 'ǅ', ǉ: 'ǈ', Ǉ: 'ǈ', ǌ: 'ǋ', Ǌ: 'ǋ', ǳ: 'ǲ', Ǳ: 'ǲ' };

/** A code point at the beginning of a word; where it differs from upper case. */
function titleCase(point: string): string {
  if (/[\u1f80-\u1ffc]/.test(point)) throw new TemplateError(`the title case of '${point}' is not supported`);
  if (/[\u10d0-\u10ff]/.test(point)) return point; // Georgian has none
  const [first = '', ...rest] = pointsOf(point.toUpperCase());
  return TITLE_CASE[point] ?? first + rest.join('').toLowerCase();
}

/** `str.capitalize`. */
export function capitalized(text: string): string {
  const [first = '', ...rest] = pointsOf(text);
  return titleCase(first) + rest.join('').toLowerCase();
}

function titled(text: string): string {
  let wasCased = false;
  let written = '';
  for (const point of text) {
    written += wasCased ? point.toLowerCase() : titleCase(point);
    wasCased = CASED.test(point);
  }
  return written;
}

function replaced(text: string, args: CallArguments): string {
  const [from, to, count = -1n] = args.take('replace()', 'old', 'new', 'count');
  return replaceText(text, requireText(from, 'replace()'), requireText(to, 'replace()'), requireInt(count, 'count'));
}

/** `str.replace`; `most` below 0 is no limit. */
export function replaceText(text: string, from: string, to: string, most: number): string {
  const parts = from === '' ? ['', ...pointsOf(text), ''] : text.split(from);
  const limited = most < 0 ? parts.length : most;
  let written = parts[0];
  for (let i = 1; i < parts.length; i++) written += (i <= limited ? to : from) + parts[i];
  return written;
}

export const TEXT_METHODS: Readonly<Record<string, TextMethod>> = {
  strip: strip('both'),
  lstrip: strip('left'),
  rstrip: strip('right'),
  split: split(false),
  rsplit: split(true),
  find: find(false, false),
  rfind: find(true, false),
  index: find(false, true),
  rindex: find(true, true),
  startswith: edge('startsWith'),
  endswith: edge('endsWith'),
  ljust: align('<'),
  rjust: align('>'),
  center: align('^'),
  partition: partition(false),
  rpartition: partition(true),
  replace: replaced,
  format: braceFormat,
  upper: plain((text) => text.toUpperCase()),
  lower: plain((text) => text.toLowerCase()),
  capitalize: plain(capitalized),
  title: plain(titled),
  swapcase: plain((text) =>
    Array.from(text, (point) => (point === point.toLowerCase() ? point.toUpperCase() : point.toLowerCase())).join(''),
  ),
  isalpha: every(/^\p{L}+$/u),
  isalnum: every(/^[\p{L}\p{N}]+$/u),
  isdecimal: every(/^\p{Nd}+$/u),
  isdigit: every(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2089]+$/u),
  isnumeric: plain((text) => {
    if (/\p{Script=Han}/u.test(text)) throw new TemplateError('isnumeric() of Chinese characters is not supported');
    return /^\p{N}+$/u.test(text);
  }),
  isspace: plain((text) => text !== '' && stripped(text, 'both') === ''),
  isupper: plain((text) => text === text.toUpperCase() && text !== text.toLowerCase()),
  islower: plain((text) => text === text.toLowerCase() && text !== text.toUpperCase()),
  isascii: plain((text) => /^[\0-\x7f]*$/.test(text)),
  count: (text, args) => {
    const [part, start, stop] = args.take('count()', 'sub', 'start', 'end');
    const points = pointsOf(text);
    const within = points.slice(...clamped(points.length, start, stop)).join('');
    const sought = requireText(part, 'count()');
    return BigInt(sought === '' ? lengthOf(within) + 1 : within.split(sought).length - 1);
  },
  join: (text, args) =>
    itemsOf(args.take('join()', 'iterable')[0] ?? null)
      .map((item) => requireText(item, 'sequence item'))
      .join(text),
  splitlines: (text, args) => linesOf(text, isTrue(args.take('splitlines()', 'keepends')[0] ?? false)),
  removeprefix: (text, args) => {
    const prefix = requireText(args.take('removeprefix()', 'prefix')[0], 'removeprefix()');
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  },
  removesuffix: (text, args) => {
    const suffix = requireText(args.take('removesuffix()', 'suffix')[0], 'removesuffix()');
    return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
  },
  zfill: (text, args) => padded(text, requireInt(args.take('zfill()', 'width')[0], 'width'), '0', '='),
};

/** Methods that Python's types have and that are not read here: an error, where a name that is unknown is undefined. */
export const UNREAD_METHODS: Readonly<Record<string, readonly string[]>> = {
  str: [
    'casefold',
    'encode',
    'expandtabs',
    'format_map',
    'isidentifier',
    'isprintable',
    'istitle',
    'maketrans',
    'translate',
  ],
  list: ['append', 'clear', 'copy', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort'],
  dict: ['clear', 'copy', 'fromkeys', 'pop', 'popitem', 'setdefault', 'update'],
  int: [
    'as_integer_ratio',
    'bit_count',
    'bit_length',
    'conjugate',
    'denominator',
    'from_bytes',
    'imag',
    'is_integer',
    'numerator',
    'real',
    'to_bytes',
  ],
  float: ['as_integer_ratio', 'conjugate', 'fromhex', 'hex', 'imag', 'is_integer', 'real'],
  range: ['count', 'index', 'start', 'step', 'stop'],
  dict_items: ['isdisjoint', 'mapping'],
  dict_keys: ['isdisjoint', 'mapping'],
  dict_values: ['mapping'],
};
