/**
 * Exact algebra: quotients of polynomials over the rationals in letters, roots, i, and functions taken as letters. Two are equal
 * where n1·d2 = n2·d1. Every rewriting is an identity (√7·√7 = 7, i² = -1, 4^x = (2^x)²), so what is found equal is equal.
 */
import Fraction from 'fraction.js';

const MOST_TERMS = 200;
const MOST_DEGREE = 40;
/** Binary digits of a power. */
const MOST_POWER_BITS = 8192;
/** Roots are taken of numbers whose primes are found by trial. */
const MOST_RADICAND = 1_000_000_000n;
/** Exponents are whole multiples of 1/5040: roots of every order up to 10 are among them. */
const WHOLE = 5040;

/** Why a text has no value. Carries the reason out of the recursion; `readMathAnswer` catches it. */
export class Unreadable extends Error {}

/** Coefficients, never 0, by monomial: names with exponents in 1/5040, sorted: `x^10080 √2^2520` is x²√2. */
type Polynomial = ReadonlyMap<string, Fraction>;

export interface Quotient {
  readonly kind: 'quotient';
  readonly over: Polynomial;
  readonly under: Polynomial;
}

const ONE: Polynomial = new Map([['', new Fraction(1)]]);

const whole = (over: Polynomial): Quotient => ({ kind: 'quotient', over, under: ONE });

export const constant = (value: Fraction | number | bigint): Quotient => {
  const of = new Fraction(value);
  return whole(of.n === 0n ? new Map() : new Map([['', of]]));
};

/** A letter, or a function that is known by its name alone. */
export const letter = (name: string): Quotient => power1(name, WHOLE);

/** @param exponent  in 1/5040 */
const power1 = (name: string, exponent: number): Quotient => {
  const [monomial, scale] = joined('', `${name}^${exponent}`);
  return whole(new Map([[monomial, scale]]));
};

export function isSameQuotient(a: Quotient, b: Quotient): boolean {
  const [left, right] = [times(a.over, b.under), times(b.over, a.under)];
  return left.size === right.size && [...left].every(([name, factor]) => right.get(name)?.equals(factor));
}

/** Whether a = c·b for a rational c: `x + y - 1 = 0` and `2 - 2x - 2y = 0` are one equation. */
export function isProportional(a: Quotient, b: Quotient): boolean {
  const first = [...a.over].sort(([x], [y]) => (x < y ? -1 : 1))[0];
  const other = first && b.over.get(first[0]);
  if (first === undefined || other === undefined) return a.over.size === b.over.size;
  return isSameQuotient(whole(a.over), product(whole(b.over), constant(first[1].div(other))));
}

/** The value of a quotient of constants; undefined where it has letters or roots. */
export function constantOf({ over, under }: Quotient): Fraction | undefined {
  const isConstant = (one: Polynomial): boolean => [...one.keys()].every((name) => name === '');
  if (!isConstant(over) || !isConstant(under)) return undefined;
  return (over.get('') ?? new Fraction(0)).div(under.get('') ?? new Fraction(1));
}

export const negative = ({ over, under }: Quotient): Quotient => ({
  kind: 'quotient',
  over: new Map([...over].map(([name, factor]) => [name, factor.neg()])),
  under,
});

export const sum = (a: Quotient, b: Quotient): Quotient => ({
  kind: 'quotient',
  over: plus(times(a.over, b.under), times(b.over, a.under)),
  under: times(a.under, b.under),
});

export const product = (a: Quotient, b: Quotient): Quotient => ({
  kind: 'quotient',
  over: times(a.over, b.over),
  under: times(a.under, b.under),
});

export function divided(a: Quotient, b: Quotient): Quotient {
  if (b.over.size === 0) throw new Unreadable('it divides by zero');
  return { kind: 'quotient', over: times(a.over, b.under), under: times(a.under, b.over) };
}

/** The same text for the same quotient, mostly: quotients of several terms are not reduced. Names of functions have it. */
export function keyOf(of: Quotient): string {
  const { over, under } = simplified(of);
  const text = (one: Polynomial): string =>
    [...one]
      .map(([name, factor]) => `${factor.toFraction()}*${name}`)
      .sort()
      .join('+');
  return (under.size === 1 ? text(over) : `${text(over)}/${text(under)}`).replaceAll(' ', '.').replaceAll('^', "'");
}

/** Divided by what is below where that is one term, by the factor of its first term otherwise. */
function simplified({ over, under }: Quotient): Quotient {
  const [[name, factor]] = [...under].sort(([a], [b]) => (a < b ? -1 : 1));
  const inverse = new Map([[under.size === 1 ? inverted(name) : '', factor.inverse()]]);
  return { kind: 'quotient', over: times(over, inverse), under: times(under, inverse) };
}

const inverted = (monomial: string): string =>
  monomial.replaceAll(/\^(-?)([0-9]+)(?= |$)/g, (_, sign: string, size: string) => `^${sign === '' ? '-' : ''}${size}`);

export function raised(base: Quotient, exponent: Quotient): Quotient {
  const value = constantOf(exponent);
  if (value === undefined) return raisedBySum(base, simplified(exponent));
  const size = Number(value.n);
  const root = value.d === 1n ? base : rootOf(base, Number(value.d));
  const result = wholePower(root, size);
  return value.s < 0n ? divided(constant(1), result) : result;
}

const bitsOf = ({ n, d }: Fraction): number => Math.max(n.toString(2).length, d.toString(2).length);

function wholePower(base: Quotient, size: number): Quotient {
  const value = constantOf(base);
  if (value !== undefined) {
    if (size * bitsOf(value) > MOST_POWER_BITS) throw new Unreadable('a power is too large');
    return constant(new Fraction((value.s < 0n ? -value.n : value.n) ** BigInt(size), value.d ** BigInt(size)));
  }
  const isOneTerm = base.over.size === 1 && base.under.size === 1;
  const bits = isOneTerm ? Math.max(...[...base.over.values(), ...base.under.values()].map(bitsOf)) : 0;
  if (size > MOST_DEGREE && (!isOneTerm || size * bits > MOST_POWER_BITS)) throw new Unreadable('a power is too large');
  let result = constant(1);
  for (let i = 0; i < size; i++) result = product(result, base);
  return result;
}

/** b^(2x+y+1) = (b^x)²·b^y·b */
function raisedBySum(base: Quotient, { over, under }: Quotient): Quotient {
  if (under.size > 1) return letter(`(${keyOf(base)})**(${keyOf({ kind: 'quotient', over, under })})`);
  return [...over].reduce((result, [name, factor]) => {
    const one = name === '' ? raised(base, constant(factor)) : raisedBy(base, name, factor);
    return product(result, one);
  }, constant(1));
}

function raisedBy(base: Quotient, monomial: string, factor: Fraction): Quotient {
  const by = keyOf(whole(new Map([[monomial, new Fraction(1)]])));
  const value = constantOf(base);
  if (value === undefined) return power1(`(${keyOf(base)})**(${by})`, exponentOf(factor));
  if (value.n === 0n) throw new Unreadable('a power has a base of 0');
  // (-2)^n = (-1)^n 2^n
  const sign = value.s < 0n ? power1(`(-1)**(${by})`, exponentOf(factor)) : constant(1);
  return primesOf(value).reduce(
    (result, [prime, count]) => product(result, power1(`${prime}**(${by})`, exponentOf(factor.mul(count)))),
    sign,
  );
}

function exponentOf(factor: Fraction): number {
  const scaled = factor.mul(WHOLE);
  if (scaled.d !== 1n || scaled.n > BigInt(MOST_DEGREE * WHOLE)) throw new Unreadable('an exponent is out of range');
  return Number(scaled.s * scaled.n);
}

/** Of n/d: the primes of n, and those of d with counts below 0. */
function primesOf({ n, d }: Fraction): (readonly [prime: bigint, count: number])[] {
  const found = (of: bigint, sign: number): (readonly [bigint, number])[] => {
    const primes: (readonly [bigint, number])[] = [];
    let left = of;
    if (left > MOST_RADICAND) throw new Unreadable(`a root or logarithm is taken of a number above ${MOST_RADICAND}`);
    for (let p = 2n; p * p <= left; p++) {
      let count = 0;
      for (; left % p === 0n; left /= p) count++;
      if (count > 0) primes.push([p, sign * count]);
    }
    return left > 1n ? [...primes, [left, sign]] : primes;
  };
  return [...found(n, 1), ...found(d, -1)];
}

/** The real root of an odd order of a negative number; i is the square root of -1. */
export function rootOf(of: Quotient, order: number): Quotient {
  if (order < 2 || WHOLE % order !== 0) throw new Unreadable(`a root of order ${order}`);
  const value = constantOf(of);
  if (value === undefined) return rootOfLetters(simplified(of), order);
  if (value.n === 0n) return of;
  if (value.s < 0n) {
    const root = rootOf(negative(of), order);
    if (order % 2 === 1) return negative(root);
    if (order === 2) return product(letter('i'), root);
    throw new Unreadable('a root of an even order is taken of a negative number');
  }
  return primesOf(value).reduce(
    (result, [prime, count]) => product(result, power1(`\u221a${prime}`, (count * WHOLE) / order)),
    constant(1),
  );
}

/** √(4x) = 2√x. The root of a sum is a letter of its own. */
function rootOfLetters(of: Quotient, order: number): Quotient {
  const factors = [...of.over.values()];
  const common = factors.reduce((a, b) => a.gcd(b)).abs();
  const rest = product(of, constant(common.inverse()));
  const outside = rootOf(constant(common), order);
  const [[name, factor]] = [...rest.over];
  const isLetter = rest.over.size === 1 && of.under.size === 1 && factor.equals(1) && /^[^ ^]+\^5040$/.test(name);
  return product(outside, power1(isLetter ? name.slice(0, name.indexOf('^')) : `root(${keyOf(rest)})`, WHOLE / order));
}

/** The natural logarithm: ln 12 = 2 ln 2 + ln 3, ln e = 1. */
export function logarithm(of: Quotient): Quotient {
  const value = constantOf(of);
  if (value !== undefined) {
    if (value.n === 0n || value.s < 0n) throw new Unreadable('a logarithm is taken of what is not above 0');
    return primesOf(value).reduce(
      (total, [prime, count]) => sum(total, product(constant(count), letter(`ln(${prime})`))),
      constant(0),
    );
  }
  const { over, under } = simplified(of);
  const power = over.size === 1 && under.size === 1 ? /^e\^(-?[0-9]+)$/.exec([...over.keys()][0]) : null;
  if (power === null) return letter(`ln(${keyOf(of)})`);
  const [factor] = over.values();
  return sum(logarithm(constant(factor)), constant(new Fraction(Number(power[1]), WHOLE)));
}

/** The factor of π in what is a rational multiple of it; undefined where it is none. */
export function turnsOf(of: Quotient): Fraction | undefined {
  const { over, under } = simplified(of);
  return constantOf({ kind: 'quotient', over: times(over, new Map([[`pi^-${WHOLE}`, new Fraction(1)]])), under });
}

function plus(a: Polynomial, b: Polynomial): Polynomial {
  const all = new Map(a);
  for (const [name, factor] of b) {
    const total = (all.get(name) ?? new Fraction(0)).add(factor);
    if (total.n === 0n) all.delete(name);
    else all.set(name, total);
  }
  if (all.size > MOST_TERMS) throw new Unreadable(`more than ${MOST_TERMS} terms`);
  return all;
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

/** The product of two monomials, and the number that falls out of it: √7·√7 is 7, i·i is -1. */
function joined(a: string, b: string): readonly [name: string, scale: Fraction] {
  const exponents = new Map<string, number>();
  for (const factor of [...a.split(' '), ...b.split(' ')]) {
    if (factor === '') continue;
    const at = factor.lastIndexOf('^');
    const name = factor.slice(0, at);
    exponents.set(name, (exponents.get(name) ?? 0) + Number(factor.slice(at + 1)));
  }
  let [scale, degree] = [new Fraction(1), 0];
  const names: string[] = [];
  for (const [name, exponent] of [...exponents].sort(([x], [y]) => (x < y ? -1 : 1))) {
    let rest = exponent;
    if (name.startsWith('\u221a')) {
      const out = Math.floor(exponent / WHOLE);
      if (out !== 0) scale = scale.mul(new Fraction(name.slice(1)).pow(out) as Fraction); // a whole power of a number
      rest -= out * WHOLE;
    } else if (name === 'i') {
      rest = ((exponent % (4 * WHOLE)) + 4 * WHOLE) % (4 * WHOLE);
      if (rest >= 2 * WHOLE) [scale, rest] = [scale.neg(), rest - 2 * WHOLE];
    } else degree += Math.abs(rest);
    if (rest !== 0) names.push(`${name}^${rest}`);
  }
  if (degree > MOST_DEGREE * WHOLE) throw new Unreadable(`the degree is more than ${MOST_DEGREE}`);
  return [names.join(' '), scale];
}
