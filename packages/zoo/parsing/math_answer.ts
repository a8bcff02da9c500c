/**
 * Mathematical answers, compared exactly whatever their notation: numbers, expressions, and collections of them.
 *
 *   value        one number or expression (math/expression.ts); "%" after it divides by 100; 1.5e-3, 3 million; words below a million
 *   enclosures   $…$, \(…\), \[…\], \boxed{…}, \fbox{…}, \text{…}, a leading "####" and a final full stop are ignored
 *   name         x = 5 is 5, and not y = 5; f(x) = x+1 is x+1; other equations are the same up to a factor
 *   unit         18 dollars, \$18, 5\text{ cm}, 90^\circ: where both sides have one they must agree, one side may leave it out
 *   base         101_2 is 101_{2} and, where the other side names no base, 101; never 5
 *   collection   {a, b} in any order, each once; a, b (also: a or b) in any order, and the set of them; \pm 3 is 3, -3;
 *                (a, b), [a, b] and mixed brackets in their order, which are intervals and tuples alike: [0, 1) is not [0, 1];
 *                1 < x \le 5 and x > 3 are intervals; unions by \cup, ∪ or U in any order; matrices; 3:4 is 6:8
 *   word         a whole answer of words: \text{Friday}
 *
 * Nothing is rounded: 0.333333 is not 1/3. Total and pure.
 */

import { trimAscii } from '../../../src/parsing/trim_ascii.ts';
import { readExpression } from './math/expression.ts';
import { DOLLAR, MARKED, NEXT_ROW, plain } from './math/notation.ts';
import {
  constant,
  isProportional,
  isSameQuotient,
  letter,
  negative,
  product,
  type Quotient,
  sum,
  Unreadable,
} from './math/quotient.ts';
import { isCounting, MULTIPLES, numberInWords, unitOf } from './math/words.ts';

const MOST_CHARACTERS = 512;
const MOST_DEPTH = 24;

interface Collection {
  readonly kind: 'ordered' | 'set' | 'list' | 'union' | 'ratio';
  /** Brackets of what is ordered. */
  readonly brackets: string;
  readonly elements: readonly MathValue[];
}

export type MathValue =
  | Quotient
  | Collection
  | { readonly kind: 'infinity'; readonly isNegative: boolean }
  /** x = value */
  | { readonly kind: 'named'; readonly name: string; readonly value: MathValue }
  | { readonly kind: 'measured'; readonly unit: string; readonly value: Quotient }
  | { readonly kind: 'based'; readonly digits: string; readonly base: number }
  /** What is 0. */
  | { readonly kind: 'equation'; readonly difference: Quotient }
  | { readonly kind: 'word'; readonly text: string };

export type MathReading =
  | { readonly ok: true; readonly value: MathValue }
  | { readonly ok: false; readonly reason: string };

/** The value of a text, or why it has none. */
export function readMathAnswer(answer: string): MathReading {
  if (answer.length > MOST_CHARACTERS) return { ok: false, reason: `longer than ${MOST_CHARACTERS} characters` };
  try {
    const text = plain(answer);
    return { ok: true, value: wordOf(text) ?? readValue(text, 0) };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Whether two values are the same. */
export function isSameMath(a: MathValue, b: MathValue): boolean {
  try {
    return isSame(a, b);
  } catch (error) {
    if (error instanceof Unreadable) return false; // the product of two is beyond the bounds
    throw error;
  }
}

function isSame(a: MathValue, b: MathValue): boolean {
  if (a.kind === 'named' || b.kind === 'named') return isSameNamed(a, b);
  if (a.kind === 'measured' || b.kind === 'measured') return isSameMeasured(a, b);
  if (a.kind === 'based') return isSameBased(a, b);
  if (b.kind === 'based') return isSameBased(b, a);
  if (a.kind === 'infinity' || b.kind === 'infinity')
    return a.kind === 'infinity' && b.kind === 'infinity' && a.isNegative === b.isNegative;
  if (a.kind === 'equation' || b.kind === 'equation')
    return a.kind === 'equation' && b.kind === 'equation' && isProportional(a.difference, b.difference);
  if (a.kind === 'word' || b.kind === 'word') return a.kind === 'word' && b.kind === 'word' && a.text === b.text;
  if (a.kind === 'quotient' || b.kind === 'quotient')
    return a.kind === 'quotient' && b.kind === 'quotient' && isSameQuotient(a, b);
  return isSameCollection(a, b);
}

function isSameNamed(a: MathValue, b: MathValue): boolean {
  if (a.kind === 'equation' || b.kind === 'equation') {
    const [left, right] = [equationOf(a), equationOf(b)];
    return left !== undefined && right !== undefined && isProportional(left, right);
  }
  if (a.kind === 'named' && b.kind === 'named') return a.name === b.name && isSame(a.value, b.value);
  return isSame(a.kind === 'named' ? a.value : a, b.kind === 'named' ? b.value : b);
}

function equationOf(of: MathValue): Quotient | undefined {
  if (of.kind === 'equation') return of.difference;
  if (of.kind !== 'named' || of.value.kind !== 'quotient' || of.name.includes('(')) return undefined;
  return sum(readExpression(of.name), negative(of.value));
}

/** One side may leave its unit out. A letter alone can be meant as a letter: 5\text{ m} is 5m. */
function isSameMeasured(a: MathValue, b: MathValue): boolean {
  if (a.kind === 'measured' && b.kind === 'measured') return a.unit === b.unit && isSameQuotient(a.value, b.value);
  const [measured, other] = a.kind === 'measured' ? [a, b] : [b, a];
  if (measured.kind !== 'measured' || other.kind !== 'quotient') return false;
  const isLetter = /^[a-z]$/.test(measured.unit);
  return (
    isSameQuotient(measured.value, other) ||
    (isLetter && isSameQuotient(product(measured.value, letter(measured.unit)), other))
  );
}

function isSameBased(a: MathValue & { readonly kind: 'based' }, b: MathValue): boolean {
  if (b.kind === 'based') return a.base === b.base && a.digits === b.digits;
  return b.kind === 'quotient' && /^[0-9]+$/.test(a.digits) && isSameQuotient(constant(BigInt(a.digits)), b);
}

function isSameCollection(a: Collection, b: Collection): boolean {
  const isLoose = (one: Collection): boolean => one.kind === 'set' || one.kind === 'list';
  const isMixed = isLoose(a) && isLoose(b) && a.kind !== b.kind && Math.min(a.elements.length, b.elements.length) > 1;
  if (!isMixed && (a.kind !== b.kind || a.brackets !== b.brackets)) return false;
  if (a.kind === 'ratio') {
    const [one, two] = [a.elements, b.elements].map((all) => all as readonly Quotient[]); // as they are made
    return (
      one.length === two.length &&
      one.every((part, i) => isSameQuotient(product(part, two[0]), product(two[i], one[0])))
    );
  }
  if (a.kind === 'ordered')
    return a.elements.length === b.elements.length && a.elements.every((one, i) => isSame(one, b.elements[i]));
  const isCounted = a.kind === 'list' || isMixed;
  const own = isCounted ? a.elements : different(a.elements);
  const left = [...(isCounted ? b.elements : different(b.elements))];
  if (own.length !== left.length || (isCounted && hasMixedNames(own) !== hasMixedNames(left))) return false;
  return own.every((one) => {
    const at = left.findIndex((candidate) => isSame(one, candidate));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** x = 1, y = 2 is not 2, 1. */
function hasMixedNames(values: readonly MathValue[]): boolean {
  return new Set(values.map((one) => (one.kind === 'named' ? one.name : ''))).size > 1;
}

function different(values: readonly MathValue[]): readonly MathValue[] {
  return values.filter((one, i) => values.findIndex((other) => isSame(one, other)) === i);
}

/** Words of three letters or fewer; others are products of letters. */
const SHORT_WORDS = ['yes', 'no', 'odd', 'dne'];

/** A whole answer of words that count nothing. */
function wordOf(text: string): MathValue | undefined {
  const bare = text.toLowerCase().replace(/^(?:the|an?) /, '');
  const words = bare.split(/[ -]+/);
  if (!/^[a-z][a-z' -]*$/.test(bare) || text.length > 60) return undefined;
  if (!SHORT_WORDS.includes(bare) && !words.some((word) => word.length > 3)) return undefined;
  if (words.some(isCounting) || words.some((word) => /^(?:or|and|sqrt.*|infinity)$/.test(word))) return undefined;
  return { kind: 'word', text: words.join(' ') };
}

const NAME =
  /^((?:[A-Za-z]|\\[a-z]+)(?:_(?:\w|\{\w+\}))?(?: *\( *[A-Za-z] *\))?|\( *[A-Za-z](?: *, *[A-Za-z])+ *\)) *(?:=|\u2208) *([^=<>\u2264\u2265]+)$/s;
const RELATION = /([<>\u2264\u2265])/;

function readValue(text: string, depth: number): MathValue {
  if (text === '') throw new Unreadable('the answer is empty, or a part of it is');
  if (depth > MOST_DEPTH) throw new Unreadable('brackets are too deep');
  const number = wholeNumber(text);
  if (number !== undefined) return number;
  const matrix = /^[([]? *\\begin\{([pbB]?matrix|array)\}(?:\{[clr|]*\})?(.*)\\end\{\1\} *[)\]]?$/s.exec(text);
  if (matrix !== null) return matrixOf(matrix[2], depth);
  const either = split(text, /^ +(?:,? *or|and) +/);
  if (either.length > 1)
    return eitherOf(
      either.flatMap((one) => split(one, /^,/)).filter((one) => one !== ''),
      depth,
    );
  const unions = split(text, /^[\u222aU]/);
  if (unions.length > 1) {
    const named = /^([A-Za-z]) *\u2208 */.exec(unions[0]);
    return unionOf(
      [unions[0].slice(named?.[0].length ?? 0), ...unions.slice(1)].map((one) => readValue(one, depth + 1)),
    );
  }
  if (/^[+-]? *\u221e$/.test(text)) return { kind: 'infinity', isNegative: text.startsWith('-') };
  if (/^\\mathbb *\{?R\}?$/.test(text)) return readValue('(-\u221e,\u221e)', depth);
  const list = split(text, /^,/);
  if (list.length > 1) return listOf(list, depth);
  const named = NAME.exec(text);
  if (named !== null)
    return { kind: 'named', name: named[1].replaceAll(/[ {}]/g, ''), value: readValue(named[2], depth + 1) };
  if (RELATION.test(text)) return inequality(text.split(RELATION).map(trimAscii));
  const sides = text.split('=');
  if (sides.length === 2) {
    const [left, right] = sides.map((side) => readExpression(side));
    return { kind: 'equation', difference: sum(left, negative(right)) };
  }
  return bracketed(text, depth) ?? measured(text) ?? single(text);
}

function single(text: string): MathValue {
  const based = /^([0-9A-Fa-f]+) *_ *(?:([0-9])|\{ *([0-9]{1,2}) *\})$/.exec(text);
  if (based !== null) return basedOf(based[1].toUpperCase(), Number(based[2] ?? based[3]));
  const word = /[A-Za-z]{4,}/.exec(text.replaceAll(/\\[A-Za-z]+|_\{[A-Za-z0-9]*\}|a?r?c?(?:sin|cos|tan)h?|sqrt/g, ' '));
  if (word !== null) throw new Unreadable(`it has a word: ${word[0]}`);
  const ratio = split(text, /^:/);
  if (ratio.length > 1)
    return { kind: 'ratio', brackets: '', elements: ratio.map((one) => nonZero(readExpression(one))) };
  if (!/[\u00b1\u2213]/.test(text)) return readExpression(text);
  return { kind: 'list', brackets: '', elements: [readExpression(text), readExpression(text, -1)] };
}

function nonZero(part: Quotient): Quotient {
  if (part.over.size === 0) throw new Unreadable('a ratio has a part of 0');
  return part;
}

function basedOf(digits: string, base: number): MathValue {
  if (base < 2 || [...digits].some((digit) => Number.parseInt(digit, 16) >= base)) {
    throw new Unreadable(`${digits} is no number of base ${base}`);
  }
  return { kind: 'based', digits: digits.replace(/^0+(?=.)/, ''), base };
}

function bracketed(text: string, depth: number): MathValue | undefined {
  const inside = enclosedIn(text);
  if (inside === undefined) return undefined;
  const parts = split(inside, /^,/);
  const [open, close] = [text[0], text[text.length - 1]];
  if (open === '{') return { kind: 'set', brackets: '', elements: partsOf(parts, depth) };
  if (parts.length === 1 && open === '(' && close === ')') return undefined;
  return { kind: 'ordered', brackets: `${open}${close}`, elements: parts.map((part) => readValue(part, depth + 1)) };
}

/** Parts of what has no order; ±3 is two of them. */
const partsOf = (parts: readonly string[], depth: number): MathValue[] =>
  parts.length === 1 && parts[0] === ''
    ? []
    : parts.map((part) => readValue(part, depth + 1)).flatMap((one) => (one.kind === 'list' ? one.elements : [one]));

/** In `x = 1, 2` the name is of both. */
function listOf(parts: readonly string[], depth: number): MathValue {
  const [first, ...others] = partsOf(parts, depth);
  const isShared = first.kind === 'named' && others.every((one) => one.kind !== 'named');
  const elements = isShared ? [first, ...others.map((value) => ({ ...first, value }))] : [first, ...others];
  return { kind: 'list', brackets: '', elements };
}

/** x < 1 or x > 3 is a union of intervals; 1 or 2 a list. */
function eitherOf(parts: readonly string[], depth: number): MathValue {
  const isUnion = parts.every((one) => RELATION.test(one));
  return isUnion ? unionOf(parts.map((one) => readValue(one, depth + 1))) : listOf(parts, depth);
}

function unionOf(elements: readonly MathValue[]): MathValue {
  const names = new Set(elements.map((one) => (one.kind === 'named' ? one.name : '')));
  if (names.size > 1) throw new Unreadable('a union is of one letter');
  const bare = elements.map((one) => (one.kind === 'named' ? one.value : one));
  return { kind: 'union', brackets: '', elements: bare };
}

const NO_LIMIT = (isNegative: boolean): MathValue => ({ kind: 'infinity', isNegative });

/** `x > 3`, `1 < x \le 5` and `5 \ge x > 1` as intervals. @param parts  sides and signs in turn */
function inequality(parts: readonly string[]): MathValue {
  const isLetter = (side: string): boolean => /^(?:[A-Za-z]|\\[a-z]+)(?:_\w)?$/.test(side);
  const signs = parts.filter((_, i) => i % 2 === 1);
  const sides = parts.filter((_, i) => i % 2 === 0);
  const isUp = '<\u2264'.includes(signs[0]);
  const at = sides.length === 3 ? 1 : isLetter(sides[0]) ? 0 : 1;
  const isOneWay = signs.every((sign) => '<\u2264'.includes(sign) === isUp);
  if (sides.length > 3 || !isOneWay || !isLetter(sides[at])) {
    throw new Unreadable('an inequality is of one letter and numbers; write an interval');
  }
  if (!isUp)
    return inequality(
      [...parts].reverse().map((part) => part.replace(RELATION, (sign) => '<\u2264'[+(sign === '\u2265')])),
    );
  const limit = (side: string | undefined, isNegative: boolean): MathValue =>
    side === undefined ? NO_LIMIT(isNegative) : readValue(side, 1);
  const brackets = `${signs[at - 1] === '\u2264' ? '[' : '('}${signs[at] === '\u2264' ? ']' : ')'}`;
  const elements = [limit(sides[at - 1], true), limit(sides[at + 1], false)];
  return { kind: 'named', name: sides[at], value: { kind: 'ordered', brackets, elements } };
}

function matrixOf(inside: string, depth: number): MathValue {
  const rows = inside
    .split(NEXT_ROW)
    .map(trimAscii)
    .filter((row) => row !== '')
    .map((row): MathValue => {
      const elements = row.split('&').map((cell) => readValue(trimAscii(cell), depth + 1));
      return { kind: 'ordered', brackets: 'row', elements };
    });
  return { kind: 'ordered', brackets: 'matrix', elements: rows };
}

const ANGLES = /sin|cos|tan|cot|sec(?!o)|csc/;

/** A value with its unit: a currency sign may precede it, and any unit may follow it. */
function measured(text: string): MathValue | undefined {
  const money = new RegExp(`^(-?) *([${DOLLAR}\u20ac\u00a3]) *(-?)(.+)$`, 's').exec(text);
  if (money !== null && money[1] + money[3] !== '--') {
    const inside = measured(money[4]);
    const unit = money[2] === DOLLAR ? '$' : money[2];
    const value = inside?.kind === 'measured' && inside.unit === unit ? inside.value : amountOf(money[4]);
    return { kind: 'measured', unit, value: money[1] + money[3] === '' ? value : negative(value) };
  }
  const marked = MARKED.exec(text);
  if (marked !== null) {
    const unit = unitOf(`${marked[2]}${marked[3] ?? ''}`, 'marked');
    if (unit === undefined || marked[1] === '') throw new Unreadable(`"${marked[2]}" is no unit`);
    return { kind: 'measured', unit, value: amountOf(marked[1]) };
  }
  if (ANGLES.test(text)) return undefined; // the degrees are of the angle
  const bare = new RegExp(
    `^(.*[0-9})!])( *)([${DOLLAR}\u20ac\u00a3\u00a2\u00b0]|[A-Za-z][A-Za-z /.]+(?:\\^\\{?[23]\\}?)?)$`,
    's',
  ).exec(text);
  if (bare === null) return undefined;
  const unit = bare[3] === DOLLAR ? '$' : unitOf(bare[3], bare[2] === '' ? 'joined' : 'apart');
  return unit === undefined ? undefined : { kind: 'measured', unit, value: amountOf(bare[1]) };
}

function amountOf(text: string): Quotient {
  if (text.includes('\u00b0')) throw new Unreadable('degrees are beside one number');
  const value = wholeNumber(trimAscii(text)) ?? readExpression(text);
  if (value.kind !== 'quotient') throw new Unreadable('a unit is beside something else than a number');
  return value;
}

/** 1,234, 3 million and numbers in words; undefined for anything else. */
function wholeNumber(text: string): Quotient | undefined {
  if (/^[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$/.test(text)) return readExpression(text.replaceAll(',', ''));
  const multiple = /^([+-]?[0-9][0-9,.]*) *([a-z]+)$/.exec(text);
  if (multiple !== null && Object.hasOwn(MULTIPLES, multiple[2])) {
    const value = wholeNumber(multiple[1]) ?? readExpression(multiple[1]);
    return product(value, constant(MULTIPLES[multiple[2]]));
  }
  const words = text.toLowerCase();
  if (!/^[a-z -]{3,80}$/.test(words)) return undefined;
  const number = numberInWords(words);
  return number === undefined ? undefined : constant(number);
}

/** What is between the first and the last character, where these are brackets that belong to each other. */
function enclosedIn(text: string): string | undefined {
  const kinds = ['{}', '()', '[]', '(]', '[)'];
  if (!kinds.includes(`${text[0]}${text[text.length - 1]}`)) return undefined;
  let open = 0;
  for (let i = 0; i < text.length - 1; i++) {
    if ('{(['.includes(text[i])) open++;
    else if ('})]'.includes(text[i])) open--;
    if (open === 0) return undefined;
  }
  return trimAscii(text.slice(1, -1));
}

/** At separators outside of all brackets and matrices. @param separator  at the start of what follows */
function split(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let [open, begin] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if ('{(['.includes(text[i]) || text.startsWith('\\begin', i)) open++;
    else if ('})]'.includes(text[i]) || text.startsWith('\\end', i)) open--;
    const found = open === 0 ? separator.exec(text.slice(i, i + 10)) : null;
    if (found !== null) {
      parts.push(trimAscii(text.slice(begin, i)));
      begin = i + found[0].length;
      i = begin - 1;
    }
  }
  return [...parts, trimAscii(text.slice(begin))];
}
