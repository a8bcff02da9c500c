/** Functions of numbers and letters: exact where the value is known, a letter of its own otherwise. */
import Fraction from 'fraction.js';
import {
  constant,
  constantOf,
  divided,
  isSameQuotient,
  keyOf,
  letter,
  logarithm,
  negative,
  product,
  type Quotient,
  raised,
  rootOf,
  sum,
  turnsOf,
  Unreadable,
} from './quotient.ts';

const MOST_FACTORIAL = 170n;

const root = (of: number): Quotient => rootOf(constant(of), 2);
const quarter = (of: Quotient): Quotient => divided(of, constant(4));

/** The sines of 0°, 15°, … 90°. */
const SINES: readonly Quotient[] = [
  constant(0),
  quarter(sum(root(6), negative(root(2)))),
  constant(new Fraction(1, 2)),
  divided(root(2), constant(2)),
  divided(root(3), constant(2)),
  quarter(sum(root(6), root(2))),
  constant(1),
];

/** @param steps  of 15° */
function sineOf(steps: number): Quotient {
  const turn = ((steps % 24) + 24) % 24;
  if (turn >= 12) return negative(sineOf(turn - 12));
  return SINES[turn > 6 ? 12 - turn : turn];
}

function circular(name: 'sin' | 'cos', of: Quotient): Quotient {
  const steps = of.over.size === 0 ? new Fraction(0) : turnsOf(of)?.mul(12);
  if (steps?.d !== 1n) return opaque(name, of);
  return sineOf(Number((steps.s * steps.n) % 24n) + (name === 'cos' ? 6 : 0));
}

const opaque = (name: string, of: Quotient): Quotient => letter(`${name}(${keyOf(of)})`);

/** The multiple of 15° that has this sine, cosine or tangent. */
function angle(name: string, of: Quotient, from: number, to: number, at: (steps: number) => Quotient): Quotient {
  for (let steps = from; steps <= to; steps++) {
    if (isSameQuotient(at(steps), of)) return product(letter('pi'), constant(new Fraction(steps, 12)));
  }
  return opaque(name, of);
}

const tangent = (steps: number): Quotient => divided(sineOf(steps), sineOf(steps + 6));

/** By name, without its backslash. */
const FUNCTIONS: Readonly<Record<string, (of: Quotient) => Quotient>> = {
  sin: (of) => circular('sin', of),
  cos: (of) => circular('cos', of),
  tan: (of) => divided(circular('sin', of), circular('cos', of)),
  cot: (of) => divided(circular('cos', of), circular('sin', of)),
  sec: (of) => divided(constant(1), circular('cos', of)),
  csc: (of) => divided(constant(1), circular('sin', of)),
  arcsin: (of) => angle('arcsin', of, -6, 6, sineOf),
  arccos: (of) => angle('arccos', of, 0, 12, (steps) => sineOf(steps + 6)),
  arctan: (of) => angle('arctan', of, -5, 5, tangent),
  sinh: (of) => opaque('sinh', of),
  cosh: (of) => opaque('cosh', of),
  tanh: (of) => opaque('tanh', of),
  ln: logarithm,
  log: (of) => logarithmTo(constant(10), of),
  exp: (of) => raised(letter('e'), of),
  abs: absolute,
};

export const FUNCTION_NAMES: readonly string[] = Object.keys(FUNCTIONS);

export const isFunction = (name: string): boolean => Object.hasOwn(FUNCTIONS, name);

export const applied = (name: string, of: Quotient): Quotient => FUNCTIONS[name](of);

export function logarithmTo(base: Quotient, of: Quotient): Quotient {
  return divided(logarithm(of), logarithm(base));
}

export function absolute(of: Quotient): Quotient {
  const value = constantOf(of);
  if (value !== undefined) return constant(value.abs());
  // |1 - x| and |x - 1| have one name.
  return letter(`abs(${[keyOf(of), keyOf(negative(of))].sort()[0]})`);
}

export function rounded(of: Quotient, way: 'floor' | 'ceil'): Quotient {
  const value = constantOf(of);
  return value === undefined ? opaque(way, of) : constant(value[way]());
}

export function factorial(of: Quotient): Quotient {
  const value = constantOf(of);
  if (value === undefined) return opaque('factorial', of);
  if (value.d !== 1n || value.s < 0n || value.n > MOST_FACTORIAL) {
    throw new Unreadable(`a factorial is of no whole number up to ${MOST_FACTORIAL}`);
  }
  let result = 1n;
  for (let i = 2n; i <= value.n; i++) result *= i;
  return constant(result);
}

export function binomial(over: Quotient, under: Quotient): Quotient {
  return divided(factorial(over), product(factorial(under), factorial(sum(over, negative(under)))));
}
