/**
 * Mathematical answers, compared exactly whatever their notation: numbers, expressions, and collections of them.
 *
 *   value       "x =" may precede it; one enclosing $…$, \(…\), \boxed{…} or \text{…}; "%" after it divides by 100; a full stop
 *               after a digit at its end does not count; 1.5e-3 is 1.5·10^-3
 *   expression  whole numbers, decimals, letters, pi, + - * / ^, implied products, \frac{}{}, sqrt() of a rational constant
 *   words       whole numbers below a million: minus twenty-one, three hundred and five
 *   collection  {a, b} in any order, each once; a, b in any order; (a, b), [a, b] and mixed brackets in their order, which are
 *               intervals and tuples alike: [0, 1) is not [0, 1]; unions of them by \cup, ∪ or U in any order
 *
 * An expression is a quotient of polynomials in its letters and in square roots of primes, over the rationals: two are equal
 * where n1·d2 = n2·d1. What has a unit, and what is larger than the bounds, is no answer. Total and pure.
 */
import Fraction from 'fraction.js';
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

const MOST_CHARACTERS = 256;
const MOST_TERMS = 200;
const MOST_DEGREE = 40;
const MOST_DIGITS = 40;
const MOST_DEPTH = 24;
/** Roots are taken of numbers whose primes are found by trial. */
const MOST_RADICAND = 1_000_000_000n;

/** By monomial: `x^2 y √2`, sorted. Coefficients are not 0. */
type Polynomial = ReadonlyMap<string, Fraction>;

interface Quotient {
  readonly kind: 'quotient';
  readonly over: Polynomial;
  readonly under: Polynomial;
}

interface Collection {
  readonly kind: 'ordered' | 'set' | 'list' | 'union';
  /** Brackets of what is ordered. */
  readonly brackets: string;
  readonly elements: readonly MathValue[];
}

export type MathValue = Quotient | Collection | { readonly kind: 'infinity'; readonly isNegative: boolean };

export type MathReading =
  | { readonly ok: true; readonly value: MathValue }
  | { readonly ok: false; readonly reason: string };

/** Carries what is wrong out of the recursion; never leaves this file. */
class Unreadable extends Error {}

const UNITS =
  /(?:[0-9)}] *|^)(?:mm|cm|km|dm|m|kg|mg|ml|kmh|mph|ms|min|mins?|hours?|seconds?|minutes?|days?|years?|meters?|metres?|inches|feet|ft|miles?|dollars?|cents?|degrees?|units?)\.?$/i;

/** The value of a text, or why it has none. */
export function readMathAnswer(answer: string): MathReading {
  if (answer.length > MOST_CHARACTERS) return { ok: false, reason: `longer than ${MOST_CHARACTERS} characters` };
  try {
    return { ok: true, value: readValue(plain(answer), 0) };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Whether two values are the same. */
export function isSameMath(a: MathValue, b: MathValue): boolean {
  if (a.kind === 'infinity' || b.kind === 'infinity')
    return a.kind === 'infinity' && b.kind === 'infinity' && a.isNegative === b.isNegative;
  if (a.kind === 'quotient' || b.kind === 'quotient') {
    if (a.kind !== 'quotient' || b.kind !== 'quotient') return false;
    const [left, right] = [times(a.over, b.under), times(b.over, a.under)];
    return left.size === right.size && [...left].every(([name, factor]) => right.get(name)?.equals(factor));
  }
  if (a.kind !== b.kind || a.brackets !== b.brackets) return false;
  if (a.kind === 'ordered')
    return a.elements.length === b.elements.length && a.elements.every((one, i) => isSameMath(one, b.elements[i]));
  const [own, other] = a.kind === 'list' ? [a.elements, b.elements] : [different(a.elements), different(b.elements)];
  if (own.length !== other.length) return false;
  const left = [...other];
  return own.every((one) => {
    const at = left.findIndex((candidate) => isSameMath(one, candidate));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function different(values: readonly MathValue[]): readonly MathValue[] {
  return values.filter((one, i) => values.findIndex((other) => isSameMath(one, other)) === i);
}

/** Without what encloses it, and with the signs that typesetting has for others. */
function plain(answer: string): string {
  let text = trimAscii(answer);
  const enclosed = /^(?:\$([^$]*)\$|\\\(([\s\S]*)\\\)|\\boxed\{([\s\S]*)\})$/.exec(text);
  text = trimAscii(enclosed?.slice(1).find((inside) => inside !== undefined) ?? text);
  return trimAscii(
    text
      .replaceAll(/\\(?:left|right|,|;|!|displaystyle)(?![A-Za-z])/g, '')
      .replaceAll(/\\[dt]frac/g, '\\frac')
      .replaceAll(/\u2212/g, '-')
      .replaceAll(/\u00d7|\u00b7|\\times|\\cdot/g, '*')
      .replaceAll('\u00f7', '/')
      .replaceAll(/\u221a|\\sqrt/g, 'sqrt')
      .replaceAll(/\u03c0|\\pi/g, 'pi')
      .replaceAll(/\\cup|\u222a/g, '\u222a')
      .replaceAll(/\\infty|\u221e|infinity|(?<![A-Za-z])inf(?![A-Za-z])/g, '\u221e')
      .replaceAll(/\\\{/g, '{')
      .replaceAll(/\\\}/g, '}')
      .replaceAll('\\%', '%')
      .replace(/^[A-Za-z] *(?:=|\\in|\u2208) */, '')
      .replace(/^\\(?:text|mathrm)\{([^{}]*)\}$/, '$1')
      .replace(/(?<=[0-9])\.$/, '')
      .replaceAll(/(?<![A-Za-z0-9.])([0-9]+(?:\.[0-9]+)?)[eE]\+?(-?[0-9]{1,2})(?![0-9A-Za-z.])/g, '($1*10^$2)'),
  );
}

function readValue(text: string, depth: number): MathValue {
  if (text === '') throw new Unreadable('the answer is empty, or a part of it is');
  if (depth > MOST_DEPTH) throw new Unreadable('brackets are too deep');
  const unions = split(text, /[\u222aU]/);
  if (unions.length > 1)
    return { kind: 'union', brackets: '', elements: unions.map((one) => readValue(one, depth + 1)) };
  if (/^-? *\u221e$/.test(text)) return { kind: 'infinity', isNegative: text.startsWith('-') };
  const number = wholeNumber(text);
  if (number !== undefined) return number;
  const inside = enclosedIn(text);
  if (inside !== undefined) {
    const parts = split(inside, /,/);
    const [open, close] = [text[0], text[text.length - 1]];
    if (open === '{') return { kind: 'set', brackets: '', elements: partsOf(parts, depth) };
    if (parts.length > 1 || open === '[' || close === ']') {
      return { kind: 'ordered', brackets: `${open}${close}`, elements: partsOf(parts, depth) };
    }
  }
  const list = split(text, /,/);
  if (list.length > 1) return { kind: 'list', brackets: '', elements: partsOf(list, depth) };
  if (UNITS.test(text)) throw new Unreadable('it has a unit');
  if (/[A-Za-z]{4,}/.test(text.replaceAll('sqrt', ' ').replaceAll('frac', ' '))) throw new Unreadable('it has a word');
  return new Parser(text).parse();
}

const partsOf = (parts: readonly string[], depth: number): MathValue[] =>
  parts.length === 1 && parts[0] === '' ? [] : parts.map((part) => readValue(part, depth + 1));

/** 1,234 and numbers in words; undefined for anything else. */
function wholeNumber(text: string): Quotient | undefined {
  if (/^-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$/.test(text)) return new Parser(text.replaceAll(',', '')).parse();
  const words = text.toLowerCase();
  if (!/^[a-z -]{3,80}$/.test(words)) return undefined;
  const number = numberInWords(words);
  return number === undefined ? undefined : constant(new Fraction(number));
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

/** At separators outside of all brackets. */
function split(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let [open, begin] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if ('{(['.includes(text[i])) open++;
    else if ('})]'.includes(text[i])) open--;
    else if (open === 0 && separator.test(text[i])) {
      parts.push(trimAscii(text.slice(begin, i)));
      begin = i + 1;
    }
  }
  return [...parts, trimAscii(text.slice(begin))];
}

const UNDER_TWENTY =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' '); // biome-ignore format: one line
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** A whole number below a million; undefined where the words are none. */
function numberInWords(text: string): number | undefined {
  const words = text.split(/[ -]+/).filter((word) => word !== 'and');
  const sign = words[0] === 'minus' || words[0] === 'negative' ? -1 : 1;
  if (sign < 0) words.shift();
  let [total, group, last] = [0, 0, Number.POSITIVE_INFINITY];
  if (words.length === 0) return undefined;
  for (const word of words) {
    const [small, ten] = [UNDER_TWENTY.indexOf(word), TENS.indexOf(word)];
    if (small >= 0 && last >= (small < 10 ? 10 : 100)) [group, last] = [group + small, 1];
    else if (ten >= 0 && last >= 100) [group, last] = [group + 20 + 10 * ten, 10];
    else if (word === 'hundred' && group >= 1 && group <= 9 && last === 1) [group, last] = [100 * group, 100];
    else if (word === 'thousand' && total === 0 && group > 0) [total, group, last] = [1000 * group, 0, 1000];
    else return undefined;
  }
  return sign * (total + group);
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    const found = text.match(/[0-9]+(?:\.[0-9]+)?|\.[0-9]+|sqrt|pi|\\frac|[A-Za-z]|[-+*/^(){}%]|[^ \t\r\n]/g) ?? [];
    const wrong = found.find((token) => !/^(?:[0-9]*\.?[0-9]+|sqrt|pi|\\frac|[A-Za-z]|[-+*/^(){}%])$/.test(token));
    if (wrong !== undefined) throw new Unreadable(`"${wrong}" is not of an expression`);
    if (found.some((token) => token.length > MOST_DIGITS)) throw new Unreadable('a number is too long');
    this.#tokens = found;
  }

  parse(): Quotient {
    const value = this.#sum();
    const isPercent = this.#take('%');
    if (this.#at < this.#tokens.length) throw new Unreadable(`"${this.#tokens[this.#at]}" is not expected there`);
    return isPercent ? divided(value, constant(new Fraction(100))) : value;
  }

  #take(sign: string): boolean {
    if (this.#tokens[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #sum(): Quotient {
    if (++this.#depth > MOST_DEPTH) throw new Unreadable('brackets are too deep');
    let value = this.#signed();
    for (;;) {
      if (this.#take('+')) value = sum(value, this.#term());
      else if (this.#take('-')) value = sum(value, negative(this.#term()));
      else break;
    }
    this.#depth--;
    return value;
  }

  #signed(): Quotient {
    if (this.#take('-')) return negative(this.#term());
    this.#take('+');
    return this.#term();
  }

  #term(): Quotient {
    let value = this.#power();
    for (;;) {
      const next = this.#tokens[this.#at] ?? '';
      if (this.#take('*')) value = product(value, this.#power());
      else if (this.#take('/')) value = divided(value, this.#power());
      else if (/^(?:[A-Za-z(]|sqrt|pi|\\frac)$/.test(next)) value = product(value, this.#power());
      else return value;
    }
  }

  #power(): Quotient {
    const base = this.#base();
    if (!this.#take('^')) return base;
    const exponent = this.#take('-') ? negative(this.#base()) : this.#base();
    const whole = constantOf(exponent);
    if (whole === undefined || whole.d !== 1n || whole.n > BigInt(MOST_DEGREE))
      throw new Unreadable('an exponent is not a small whole number');
    let value = constant(new Fraction(1));
    for (let i = 0n; i < whole.n; i++) value = product(value, base);
    return whole.s < 0n ? divided(constant(new Fraction(1)), value) : value;
  }

  #base(): Quotient {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Unreadable('the expression ends too early');
    if (token === '(' || token === '{') {
      const value = this.#sum();
      if (!this.#take(token === '(' ? ')' : '}')) throw new Unreadable('a bracket is not closed');
      return value;
    }
    if (token === '\\frac') {
      const over = this.#base();
      return divided(over, this.#base());
    }
    if (token === 'sqrt') return rootOf(this.#base());
    if (/^[0-9.]/.test(token)) return constant(new Fraction(token));
    if (/^(?:pi|[A-Za-z])$/.test(token))
      return { kind: 'quotient', over: new Map([[token, new Fraction(1)]]), under: ONE };
    throw new Unreadable(`"${token}" is not expected there`);
  }
}

const ONE: Polynomial = new Map([['', new Fraction(1)]]);

const constant = (value: Fraction): Quotient => ({
  kind: 'quotient',
  over: value.n === 0n ? new Map() : new Map([['', value]]),
  under: ONE,
});

/** The value of a quotient of constants; undefined where it has letters or roots. */
function constantOf({ over, under }: Quotient): Fraction | undefined {
  const isConstant = (one: Polynomial): boolean => [...one.keys()].every((name) => name === '');
  if (!isConstant(over) || !isConstant(under)) return undefined;
  return (over.get('') ?? new Fraction(0)).div(under.get('') ?? new Fraction(1));
}

const negative = ({ over, under }: Quotient): Quotient => ({
  kind: 'quotient',
  over: new Map([...over].map(([name, factor]) => [name, factor.neg()])),
  under,
});

const sum = (a: Quotient, b: Quotient): Quotient => ({
  kind: 'quotient',
  over: plus(times(a.over, b.under), times(b.over, a.under)),
  under: times(a.under, b.under),
});

const product = (a: Quotient, b: Quotient): Quotient => ({
  kind: 'quotient',
  over: times(a.over, b.over),
  under: times(a.under, b.under),
});

function divided(a: Quotient, b: Quotient): Quotient {
  if (b.over.size === 0) throw new Unreadable('it divides by zero');
  return { kind: 'quotient', over: times(a.over, b.under), under: times(a.under, b.over) };
}

function plus(a: Polynomial, b: Polynomial): Polynomial {
  const all = new Map(a);
  for (const [name, factor] of b) {
    const total = (all.get(name) ?? new Fraction(0)).add(factor);
    if (total.n === 0n) all.delete(name);
    else all.set(name, total);
  }
  return bounded(all);
}

function times(a: Polynomial, b: Polynomial): Polynomial {
  let all: Polynomial = new Map();
  for (const [left, factor] of a) {
    const row = new Map<string, Fraction>();
    for (const [right, other] of b) {
      const [name, scale] = joined(left, right);
      row.set(name, (row.get(name) ?? new Fraction(0)).add(factor.mul(other).mul(scale)));
    }
    for (const [name, value] of row) if (value.n === 0n) row.delete(name);
    all = plus(all, row);
  }
  return all;
}

function bounded(one: Polynomial): Polynomial {
  if (one.size > MOST_TERMS) throw new Unreadable(`more than ${MOST_TERMS} terms`);
  return one;
}

/** The product of two monomials, whose names are letters and roots `r7` with exponents: √7·√7 is 7. */
function joined(a: string, b: string): readonly [name: string, scale: Fraction] {
  if (a === '' || b === '') return [a === '' ? b : a, new Fraction(1)];
  const exponents = new Map<string, number>();
  for (const factor of [...a.split(' '), ...b.split(' ')]) {
    const [letter, exponent = '1'] = factor.split('^');
    exponents.set(letter, (exponents.get(letter) ?? 0) + Number(exponent));
  }
  let [scale, degree] = [new Fraction(1), 0];
  const names: string[] = [];
  for (const [letter, exponent] of [...exponents].sort(([x], [y]) => (x < y ? -1 : 1))) {
    if (letter.startsWith('\u221a')) {
      if (exponent === 2) scale = scale.mul(letter.slice(1));
      else names.push(letter);
      continue;
    }
    degree += exponent;
    names.push(exponent === 1 ? letter : `${letter}^${exponent}`);
  }
  if (degree > MOST_DEGREE) throw new Unreadable(`the degree is more than ${MOST_DEGREE}`);
  return [names.join(' '), scale];
}

/** √(n/d) = √(n·d)/d: a whole number outside, primes inside, each a root of its own. */
function rootOf(of: Quotient): Quotient {
  const value = constantOf(of);
  if (value === undefined) throw new Unreadable('a root is taken of something else than a number');
  if (value.s < 0n) throw new Unreadable('a root is taken of a negative number');
  let left = value.n * value.d;
  if (left > MOST_RADICAND) throw new Unreadable(`a root is taken of a number above ${MOST_RADICAND}`);
  let outside = 1n;
  const primes: string[] = [];
  for (let p = 2n; p * p <= left; p++) {
    for (; left % (p * p) === 0n; left /= p * p) outside *= p;
    if (left % p === 0n) {
      primes.push(`\u221a${p}`);
      left /= p;
    }
  }
  if (left > 1n) primes.push(`\u221a${left}`);
  if (value.n === 0n) return constant(new Fraction(0));
  return { kind: 'quotient', over: new Map([[primes.sort().join(' '), new Fraction(outside, value.d)]]), under: ONE };
}
