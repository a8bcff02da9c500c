/**
 * Whether two expressions in x are the same function: their values, or their slopes, agree at points drawn once and for all
 * modulo two primes of 61 bits.
 *
 * Two different functions whose degrees add up to d agree at a point with a chance of d/2⁶¹ (Schwartz and Zippel); here d is
 * at most some hundreds, and there are twenty points. The points are known to a reader of this, but a polynomial that is 0
 * at all of them has numbers of more digits than an expression may have.
 */
import type { Algebra } from './algebra.ts';

/** The two largest below 2⁶¹. */
const PRIMES = [2n ** 61n - 1n, 2n ** 61n - 31n] as const;
const POINTS_PER_PRIME = 10;

/** A value and its derivative by x, modulo a prime. */
interface Dual {
  readonly value: bigint;
  readonly slope: bigint;
}

/** An expression, and what of it is meant: the function itself, or its derivative by x. */
export interface Meant {
  readonly expression: Algebra;
  readonly as: 'value' | 'slope';
}

const modulo = (value: bigint, prime: bigint): bigint => ((value % prime) + prime) % prime;

/** The points, from a chain of squares. */
const POINTS = PRIMES.flatMap((prime) => {
  let point = 0x1234_5678_9abc_defn % prime;
  return Array.from({ length: POINTS_PER_PRIME }, () => {
    point = (point * point + 0x9e37_79b9n) % prime;
    return { point, prime };
  });
});

function powerOf(base: bigint, exponent: bigint, prime: bigint): bigint {
  let result = 1n;
  for (let [square, left] = [base, exponent]; left > 0n; left >>= 1n, square = (square * square) % prime) {
    if (left & 1n) result = (result * square) % prime;
  }
  return result;
}

/** One over a value that is not 0, by Euclid's algorithm: a third of the time of a power. */
function inverseOf(value: bigint, prime: bigint): bigint {
  let [rest, divisor] = [prime, value];
  let [factor, next] = [0n, 1n];
  while (divisor > 0n) {
    const quotient = rest / divisor;
    [rest, divisor] = [divisor, rest - quotient * divisor];
    [factor, next] = [next, factor - quotient * next];
  }
  return modulo(factor, prime);
}

/** One over it; undefined for 0. */
function inverse({ value, slope }: Dual, prime: bigint): Dual | undefined {
  if (value === 0n) return undefined;
  const inverted = inverseOf(value, prime);
  return { value: inverted, slope: modulo(-slope * inverted * inverted, prime) };
}

function product(one: Dual, two: Dual, prime: bigint): Dual {
  return {
    value: (one.value * two.value) % prime,
    slope: (one.slope * two.value + one.value * two.slope) % prime,
  };
}

function at(expression: Algebra, point: bigint, prime: bigint): Dual | undefined {
  switch (expression.kind) {
    case 'number':
      return { value: expression.value % prime, slope: 0n };
    case 'variable':
      return { value: point, slope: 1n };
    case 'negative': {
      const of = at(expression.of, point, prime);
      return of && { value: modulo(-of.value, prime), slope: modulo(-of.slope, prime) };
    }
    case 'power': {
      const { exponent } = expression;
      const given = at(expression.base, point, prime);
      const base = given && exponent < 0 ? inverse(given, prime) : given;
      if (base === undefined) return undefined;
      const size = BigInt(Math.abs(exponent));
      if (size === 0n) return base.value === 0n ? undefined : { value: 1n, slope: 0n };
      const less = powerOf(base.value, size - 1n, prime);
      return { value: (less * base.value) % prime, slope: (((size * less) % prime) * base.slope) % prime };
    }
    case 'operation': {
      const left = at(expression.left, point, prime);
      const right = at(expression.right, point, prime);
      if (left === undefined || right === undefined) return undefined;
      switch (expression.operator) {
        case '+':
          return { value: (left.value + right.value) % prime, slope: (left.slope + right.slope) % prime };
        case '-':
          return { value: modulo(left.value - right.value, prime), slope: modulo(left.slope - right.slope, prime) };
        case '*':
          return product(left, right, prime);
        case '/': {
          const inverted = inverse(right, prime);
          return inverted && product(left, inverted, prime);
        }
      }
    }
  }
}

/** What is meant at the first of the points; undefined where it divides by what is 0 there. */
export function firstSample(meant: Meant): bigint | undefined {
  return sampleAt(meant, POINTS[0]);
}

/** Whether two are one function. One that divides by what is 0 at a point is no function, and the same as none. */
export function isSame(one: Meant, two: Meant): boolean {
  return POINTS.every((where) => {
    const sample = sampleAt(one, where);
    return sample !== undefined && sample === sampleAt(two, where);
  });
}

function sampleAt({ expression, as }: Meant, { point, prime }: (typeof POINTS)[number]): bigint | undefined {
  return at(expression, point, prime)?.[as];
}
