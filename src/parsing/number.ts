/**
 * One number as an answer, read exactly: a rational comes out, or why there is none.
 *
 *   number   = [sign] (plain ["/" digits] | plain exponent | latex) ["%"]      one enclosing $…$, \(…\) or \boxed{…}
 *   plain    = digits, thousands in strict groups of three by commas or not at all, one decimal point
 *   exponent = ("e" | "E") [sign] digits | ("×" | "\times") "10^" ([sign] digits | "{" [sign] digits "}"), up to ±400
 *   latex    = ("\frac" | "\dfrac" | "\tfrac") ("{" [sign] digits "}" "{" digits "}" | digit digit)
 *
 * Only ASCII digits count; `−` U+2212 and `×` U+00D7 are the minus and the times sign. Nothing is rounded, so
 * 0.30000000000000004 is not 3/10. One pass over at most `MAX_NUMBER_LENGTH` characters.
 */
import Fraction from 'fraction.js';
import type { Rational } from './arithmetic.ts';
import { trimAscii } from './trim_ascii.ts';

/** Longest answer that is read, in UTF-16 units after trimming. */
export const MAX_NUMBER_LENGTH = 256;
const MAX_EXPONENT = 400;

/** What else may be written, and what may not; nothing is allowed that is not asked for. */
export interface NumberRules {
  /** 50% is 1/2 (`ratio`, the default), or is refused; `same`: the sign must be there, and 50% is 50. */
  readonly percent?: 'ratio' | 'same' | 'reject';
  /** Digits alone, with a sign and a decimal point: no fraction, power of ten or percent sign. */
  readonly plain?: boolean;
  /** A fraction must be in lowest terms. */
  readonly reduced?: boolean;
  /** `2 1/2` is 5/2. */
  readonly mixed?: boolean;
  /** `x = 5` is 5 for the variable x. */
  readonly variable?: string;
  /** Factors of units by their symbols: `1.5 km` is 1500 for {m: 1, km: 1000}. One must be there. */
  readonly units?: Readonly<Record<string, number>>;
}

/** How near is right. Exact where nothing is said. */
export interface Tolerance {
  /** Also right: exactly this many decimals, equal to the true value rounded half up or half to even. */
  readonly decimals?: number;
  /** Also right: the true value rounded to this many significant digits. */
  readonly significant?: number;
}

/** The exact value of a number as it is written, or why the text is none. */
export type NumberReading =
  | {
      readonly ok: true;
      readonly value: Rational;
      /** Digits after the decimal point, where it is written as a plain decimal. */
      readonly decimals?: number;
      /** Numerator over denominator, rather than a decimal. */
      readonly isFraction: boolean;
    }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): NumberReading => ({ ok: false, reason });

const DIGITS = /^[0-9]+$/;
const GROUPED = /^[0-9]{1,3}(?:,[0-9]{3})+$/;
const LATEX = /^\\[dt]?frac(?:\{([+-]?)([0-9]+)\}\{([0-9]+)\}|([0-9])([0-9]))$/;
const POWER = /^(.+?) ?(?:\u00d7|\\times) ?10\^(?:\{([+-]?[0-9]{1,3})\}|([+-]?[0-9]{1,3}))$/;
const EXPONENT = /^([^eE]+)[eE]([+-]?[0-9]{1,3})$/;

/** The number that a text is, and nothing else. Total and pure. */
export function readNumber(answer: string, rules: NumberRules = {}): NumberReading {
  let text = trimAscii(answer);
  if (text === '') return failed('the answer is empty');
  if (text.length > MAX_NUMBER_LENGTH) return failed(`longer than ${MAX_NUMBER_LENGTH} characters`);
  text = withoutEnclosure(text).replaceAll('\u2212', '-');
  if (rules.variable !== undefined) text = withoutVariable(text, rules.variable);
  return rules.units === undefined ? readShare(text, rules) : readQuantity(text, rules, rules.units);
}

/** True for the same rational, or one within the tolerance. */
export function isNumber(reading: NumberReading, truth: Rational, { decimals, significant }: Tolerance = {}): boolean {
  if (!reading.ok) return false;
  if (reading.value.equals(truth)) return true;
  if (decimals !== undefined) {
    const isRounded = roundings(truth, 10n ** BigInt(decimals)).some((value) => value.equals(reading.value));
    return reading.decimals === decimals && isRounded;
  }
  if (significant === undefined || truth.n === 0n) return false;
  const { up, down } = scaleOf(truth, significant);
  const scale = new Fraction(up, down);
  return roundings(truth.mul(scale), 1n).some((value) => value.div(scale).equals(reading.value));
}

/** `n` or `n/d` in lowest terms: the same text for equal numbers. */
export function canonicalNumber(value: Rational): string {
  const sign = value.s < 0n ? '-' : '';
  return value.d === 1n ? `${sign}${value.n}` : `${sign}${value.n}/${value.d}`;
}

/** What one enclosing $…$, \(…\) or \boxed{…} holds: wherever an answer is a number, it may be there. */
export function withoutEnclosure(text: string): string {
  const pairs = [
    ['\\boxed{', '}'],
    ['\\(', '\\)'],
    ['$', '$'],
  ] as const;
  for (const [open, close] of pairs) {
    if (text.length > open.length + close.length && text.startsWith(open) && text.endsWith(close)) {
      return trimAscii(text.slice(open.length, text.length - close.length));
    }
  }
  return text;
}

function withoutVariable(text: string, variable: string): string {
  const equals = text.indexOf('=');
  return equals > 0 && trimAscii(text.slice(0, equals)) === variable ? trimAscii(text.slice(equals + 1)) : text;
}

function readQuantity(text: string, rules: NumberRules, units: Readonly<Record<string, number>>): NumberReading {
  const match = /^(.*[0-9}.]) ?([A-Za-z\u00b0\u00b5]+)$/.exec(text);
  if (match === null || !Object.hasOwn(units, match[2] as string)) return failed('there is no known unit');
  const reading = readShare(match[1] as string, { ...rules, percent: 'reject' });
  const factor = units[match[2] as string] as number;
  return reading.ok ? { ok: true, value: reading.value.mul(new Fraction(String(factor))), isFraction: false } : reading;
}

function readShare(text: string, rules: NumberRules): NumberReading {
  const { percent = 'ratio' } = rules;
  const isPercent = text.endsWith('%');
  if (percent === 'same' && !isPercent) return failed('the percent sign is missing');
  if (!isPercent) return readSigned(text, rules);
  if (percent === 'reject' || rules.plain) return failed('a percent sign has no meaning here');
  const bare = text.slice(0, text.endsWith('\\%') ? -2 : -1);
  const reading = readSigned(bare.endsWith(' ') ? bare.slice(0, -1) : bare, rules);
  if (!reading.ok || percent === 'same') return reading;
  return { ok: true, value: reading.value.div(new Fraction(100)), isFraction: false };
}

function readSigned(text: string, rules: NumberRules): NumberReading {
  const isNegative = text.startsWith('-');
  const bare = isNegative || text.startsWith('+') ? text.slice(1) : text;
  const reading = readUnsigned(bare, rules);
  return reading.ok && isNegative ? { ...reading, value: reading.value.neg() } : reading;
}

function readUnsigned(text: string, rules: NumberRules): NumberReading {
  if (rules.plain) return readPlain(text);
  const latex = LATEX.exec(text);
  if (latex !== null) {
    const [, sign, top, bottom, one, two] = latex;
    const reading = readFraction((top ?? one) as string, (bottom ?? two) as string, rules);
    return reading.ok && sign === '-' ? { ...reading, value: reading.value.neg() } : reading;
  }
  const slash = text.indexOf('/');
  if (slash >= 0) {
    const space = text.indexOf(' ');
    if (rules.mixed && space > 0 && DIGITS.test(text.slice(0, space))) {
      const part = readFraction(text.slice(space + 1, slash), text.slice(slash + 1), rules);
      if (!part.ok || part.value.compare(1) >= 0) return failed('the fraction of a mixed number is below 1');
      return { ...part, value: part.value.add(new Fraction(BigInt(text.slice(0, space)))) };
    }
    return readFraction(text.slice(0, slash), text.slice(slash + 1), rules);
  }
  const power = POWER.exec(text) ?? EXPONENT.exec(text);
  if (power === null) return readPlain(text);
  const exponent = Number(power[2] ?? power[3]);
  const mantissa = readPlain(power[1] as string);
  if (Math.abs(exponent) > MAX_EXPONENT) return failed(`an exponent is beyond ${MAX_EXPONENT}`);
  if (!mantissa.ok) return mantissa;
  const factor = new Fraction(10n ** BigInt(Math.abs(exponent)));
  const value = exponent < 0 ? mantissa.value.div(factor) : mantissa.value.mul(factor);
  return { ok: true, value, isFraction: false };
}

function readFraction(top: string, bottom: string, { reduced = false }: NumberRules): NumberReading {
  if (!DIGITS.test(top) || !DIGITS.test(bottom)) return failed('not a fraction of whole numbers');
  const denominator = BigInt(bottom);
  if (denominator === 0n) return failed('the answer divides by zero');
  const value = new Fraction(BigInt(top), denominator);
  if (reduced && value.d !== denominator) return failed('the fraction is not in lowest terms');
  return { ok: true, value, isFraction: true };
}

function readPlain(text: string): NumberReading {
  const point = text.indexOf('.');
  const before = point < 0 ? text : text.slice(0, point);
  const after = point < 0 ? '' : text.slice(point + 1);
  const isWhole = before === '' ? after !== '' : DIGITS.test(before) || GROUPED.test(before);
  if (!isWhole || (after !== '' && !DIGITS.test(after))) return failed('not a number');
  const digits = BigInt(before.replaceAll(',', '') + after);
  return {
    ok: true,
    value: new Fraction(digits, 10n ** BigInt(after.length)),
    decimals: after.length,
    isFraction: false,
  };
}

/** The multiples of 1/scale that a value rounds to, half up (away from zero) and half to even. */
function roundings(value: Rational, scale: bigint): Rational[] {
  const top = value.n * scale; // n is the absolute value
  const floor = top / value.d;
  const twice = 2n * (top - floor * value.d);
  const up = twice >= value.d ? floor + 1n : floor;
  const even = twice === value.d && up % 2n === 1n ? up - 1n : up;
  return [up, even].map((whole) => new Fraction(value.s < 0n ? -whole : whole, scale));
}

/** The power of ten that brings a value to `digits` digits before the point, as a fraction up / down. */
function scaleOf(value: Rational, digits: number): { readonly up: bigint; readonly down: bigint } {
  let exponent = 0;
  const least = 10n ** BigInt(digits - 1);
  const isBelow = (e: number) =>
    e >= 0 ? value.n * 10n ** BigInt(e) < least * value.d : value.n < least * value.d * 10n ** BigInt(-e);
  while (isBelow(exponent)) exponent++;
  while (!isBelow(exponent - 1)) exponent--;
  return exponent >= 0 ? { up: 10n ** BigInt(exponent), down: 1n } : { up: 1n, down: 10n ** BigInt(-exponent) };
}
