/** Polynomials in x with whole or rational coefficients, and how tasks write them: 3x^2-x/2+1. */
import type { Rng } from '../../../../src/kernels/philox.ts';

/** Coefficients, that of the constant first. */
export type Polynomial = readonly number[];

/** Numerator and denominator, the latter above 0. */
type Coefficient = readonly [numerator: number, denominator: number];

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function termText([numerator, denominator]: Coefficient, exponent: number): string {
  const size = Math.abs(numerator);
  const power = exponent === 0 ? '' : exponent === 1 ? 'x' : `x^${exponent}`;
  return `${size === 1 && exponent > 0 ? '' : size}${power}${denominator === 1 ? '' : `/${denominator}`}`;
}

/** By falling powers, without those that are 0. */
function sumText(coefficients: readonly Coefficient[]): string {
  const terms = coefficients
    .map((coefficient, exponent) => ({ coefficient, exponent }))
    .filter(({ coefficient: [numerator] }) => numerator !== 0)
    .reverse();
  if (terms.length === 0) return '0';
  return terms
    .map(({ coefficient, exponent }, i) => {
      const sign = coefficient[0] < 0 ? '-' : i === 0 ? '' : '+';
      return `${sign}${termText(coefficient, exponent)}`;
    })
    .join('');
}

export function polynomialText(polynomial: Polynomial): string {
  return sumText(polynomial.map((coefficient) => [coefficient, 1]));
}

/** An antiderivative, without a constant. */
export function antiderivativeText(polynomial: Polynomial): string {
  const coefficients = polynomial.map((coefficient, exponent): Coefficient => {
    const shared = gcd(Math.abs(coefficient), exponent + 1);
    return [coefficient / shared, (exponent + 1) / shared];
  });
  return sumText([[0, 1], ...coefficients]);
}

/** Its text, in brackets where it has more than a term. */
export function bracketed(polynomial: Polynomial): string {
  const text = polynomialText(polynomial);
  return polynomial.filter((coefficient) => coefficient !== 0).length > 1 || text.startsWith('-') ? `(${text})` : text;
}

export function multiplied(one: Polynomial, two: Polynomial): number[] {
  const result = Array.from({ length: one.length + two.length - 1 }, () => 0);
  for (const [i, a] of one.entries()) for (const [j, b] of two.entries()) result[i + j] = (result[i + j] ?? 0) + a * b;
  return result;
}

export function subtracted(one: Polynomial, two: Polynomial): number[] {
  return Array.from({ length: Math.max(one.length, two.length) }, (_, i) => (one[i] ?? 0) - (two[i] ?? 0));
}

export function derived(polynomial: Polynomial): number[] {
  return polynomial.slice(1).map((coefficient, i) => coefficient * (i + 1));
}

/** A polynomial of exactly this degree, with coefficients up to `max` and at least two terms. */
export function drawPolynomial(rng: Rng, degree: number, max: number, lead = max): number[] {
  for (;;) {
    const lower = Array.from({ length: degree }, () => rng.int(-max, max));
    const polynomial = [...lower, rng.int(1, lead)];
    if (polynomial.filter((coefficient) => coefficient !== 0).length > 1) return polynomial;
  }
}
