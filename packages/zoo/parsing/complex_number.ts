/**
 * A complex number as an answer, exactly.
 *
 *   complex = [sign] term [sign term]        one real and one imaginary term, in either order, or one of them alone
 *   term    = digits ["." digits] ["i"] | "i"              one enclosing $…$, \(…\) or \boxed{…}
 *
 * Spaces may surround the sign between both terms, as many on either side: `0 -8i` is two numbers. `−` U+2212 is the
 * minus sign, too.
 */
import Fraction from 'fraction.js';
import type { Rational } from '../../../src/parsing/arithmetic.ts';
import { withoutEnclosure } from '../../../src/parsing/number.ts';
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

/** Longest answer that is read, in UTF-16 units after trimming. */
const MAX_COMPLEX_LENGTH = 256;

export type ComplexReading =
  | { readonly ok: true; readonly real: Rational; readonly imaginary: Rational }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): ComplexReading => ({ ok: false, reason });

const COMPLEX = /^([+-]?)([0-9.]*i?)(?:( *)([+-])\3([0-9.]+i?|i))?$/;
const TERM = /^([0-9]+)(?:\.([0-9]+))?$/;

/** The value of a term without its i, which alone is 1; undefined where it is no number. */
function termValue(sign: string, digits: string): Rational | undefined {
  const match = TERM.exec(digits === '' ? '1' : digits);
  if (match === null) return undefined;
  const [, whole = '', places = ''] = match;
  const value = new Fraction(BigInt(whole + places), 10n ** BigInt(places.length));
  return sign === '-' ? value.neg() : value;
}

/** The complex number that a text is, and nothing else. Total and pure. */
export function readComplex(answer: string): ComplexReading {
  const text = trimAscii(answer).replaceAll('\u2212', '-');
  if (text === '') return failed('the answer is empty');
  if (text.length > MAX_COMPLEX_LENGTH) return failed(`longer than ${MAX_COMPLEX_LENGTH} characters`);
  const match = COMPLEX.exec(withoutEnclosure(text));
  if (match === null) return failed('not a complex number');
  const [, sign = '', first = '', , between, second] = match;
  const terms =
    second === undefined
      ? [[sign, first]]
      : [
          [sign, first],
          [between as string, second],
        ];
  let real: Rational | undefined;
  let imaginary: Rational | undefined;
  for (const [termSign = '', term = ''] of terms) {
    const isImaginary = term.endsWith('i');
    if (!isImaginary && term === '') return failed('not a complex number');
    const value = termValue(termSign, isImaginary ? term.slice(0, -1) : term);
    if (value === undefined) return failed('a term is no number');
    if ((isImaginary ? imaginary : real) !== undefined) return failed('two terms are of one kind');
    if (isImaginary) imaginary = value;
    else real = value;
  }
  return { ok: true, real: real ?? new Fraction(0), imaginary: imaginary ?? new Fraction(0) };
}
