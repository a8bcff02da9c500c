/** Texts as Python has them: their length is in code points, and white space is what `str.isspace` says. */

/** Python's white space, as a class of a regular expression. */
export const PYTHON_SPACE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';

const SURROGATE = /[\ud800-\udfff]/;

/** The code points of a text, each as a text. */
export function pointsOf(text: string): string[] {
  return SURROGATE.test(text) ? Array.from(text) : text.split('');
}

/** How many code points a text has. */
export function lengthOf(text: string): number {
  return SURROGATE.test(text) ? Array.from(text).length : text.length;
}

/** Order of two texts by code points; JavaScript's is by UTF-16 units. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((point, i) => point !== right[i]);
  if (at < 0) return -1; // a is the beginning of b
  if (at >= right.length) return 1;
  return left[at].codePointAt(0)! - right[at].codePointAt(0)!;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};
const ESCAPE = /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|[\s\S])/g;

/** A string literal's inside with its escapes replaced; one that Python does not know stays as it is. */
export function unescaped(text: string): string {
  return text.replace(ESCAPE, (whole, code: string) => {
    if (/^[xuU]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8));
    if (/^[xuUN]$/.test(code)) throw new Error(`the escape ${whole} is not read`);
    return ESCAPES[code] ?? whole;
  });
}

const UNPRINTABLE = /[\p{C}\p{Z}]/u;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\\': '\\\\' };

/** Python's `repr` of a text. */
export function textRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let written = quote;
  for (const point of text) {
    const code = point.codePointAt(0)!;
    if (point === quote) written += `\\${point}`;
    else if (SHORT_ESCAPES[point] !== undefined) written += SHORT_ESCAPES[point];
    else if (point === ' ' || !UNPRINTABLE.test(point)) written += point;
    else if (code < 0x100) written += `\\x${hex(code, 2)}`;
    else written += code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  }
  return written + quote;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** Python's `repr` of a float: the shortest digits, with an exponent from 1e16 and below 1e-4. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e16 || size < 1e-4) {
    const [digits, exponent] = value.toExponential().split('e');
    const power = Math.abs(Number(exponent)).toString().padStart(2, '0');
    return `${digits}e${exponent.startsWith('-') ? '-' : '+'}${power}`;
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** A float with `digits` after the point, a tie to the even digit, as Python rounds; `toFixed` rounds ties up. */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return floatRepr(value);
  if (digits > 90 || Math.abs(value) >= 1e21) throw new Error(`${value} with ${digits} digits is not written`);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const exact = Math.abs(value).toFixed(Math.min(100, digits + 10));
  const cut = exact.indexOf('.') + 1 + digits;
  const isTie = exact[cut] === '5' && /^50*$/.test(exact.slice(cut)) && isExact(value, digits + 1);
  if (!isTie) return sign + Math.abs(value).toFixed(digits);
  const below = exact.slice(0, digits === 0 ? cut - 1 : cut);
  const isEven = '02468'.includes(below.at(-1)!);
  return sign + (isEven ? below : Math.abs(value).toFixed(digits));
}

function isExact(value: number, digits: number): boolean {
  return /^0*$/.test(Math.abs(value).toFixed(100).split('.')[1].slice(digits));
}

/** A pattern for any of `characters`; undefined or null: white space. */
function classOf(characters: string | undefined): string {
  if (characters === undefined) return PYTHON_SPACE;
  if (characters === '') return '(?!)';
  return `[${characters.replace(/[\\\]^-]/g, '\\$&')}]`;
}

/** `strip`, `lstrip` and `rstrip`: `characters` is a set of code points; undefined: white space. */
export function stripped(text: string, sides: 'both' | 'left' | 'right', characters?: string): string {
  const any = new RegExp(`^${classOf(characters)}$`, 'u');
  const points = pointsOf(text);
  let [from, to] = [0, points.length];
  if (sides !== 'right') while (from < to && any.test(points[from])) from++;
  if (sides !== 'left') while (to > from && any.test(points[to - 1])) to--;
  return points.slice(from, to).join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: Python ends a line at them
const LINE = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/** `str.splitlines`. */
export function linesOf(text: string, keepEnds: boolean): string[] {
  const lines: string[] = [];
  let begin = 0;
  for (const { 0: end, index } of text.matchAll(LINE)) {
    lines.push(text.slice(begin, keepEnds ? index + end.length : index));
    begin = index + end.length;
  }
  if (begin < text.length) lines.push(text.slice(begin));
  return lines;
}

/** `str.split` and `str.rsplit`; a separator of undefined is any white space, and `most` below 0 is no limit. */
export function splitText(text: string, separator: string | undefined, most: number, fromRight: boolean): string[] {
  if (separator === '') throw new Error('empty separator');
  const limited = most < 0 ? Number.POSITIVE_INFINITY : most;
  if (separator !== undefined) {
    const parts = text.split(separator);
    if (parts.length <= limited + 1) return parts;
    if (fromRight) {
      const kept = parts.length - limited;
      return [parts.slice(0, kept).join(separator), ...parts.slice(kept)];
    }
    return [...parts.slice(0, limited), parts.slice(limited).join(separator)];
  }
  const spaces = new RegExp(`${PYTHON_SPACE}+`, 'g');
  const rest = stripped(text, 'both');
  const gaps = [...rest.matchAll(spaces)];
  if (rest === '' || gaps.length < limited) return rest === '' ? [] : rest.split(spaces);
  const cuts = fromRight ? gaps.slice(gaps.length - limited) : gaps.slice(0, limited);
  // What is not split keeps its white space on the far side, as in Python.
  const whole = fromRight ? stripped(text, 'right') : stripped(text, 'left');
  const shift = fromRight ? whole.length - rest.length : 0;
  const parts: string[] = [];
  let begin = 0;
  for (const { 0: gap, index } of cuts) {
    parts.push(whole.slice(begin, index + shift));
    begin = index + shift + gap.length;
  }
  return [...parts, whole.slice(begin)];
}
