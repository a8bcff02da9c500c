/**
 * The one exact arithmetic that judges every answer: BigInt rationals, so 8/(3-8/3) is 24 and 7/2 is never 3.
 */
import Fraction from 'fraction.js';
import type { ArithmeticOperator, Expression } from './expression.ts';

export type Rational = Fraction;

/** Exact rational of an integer literal (a safe integer). */
export function rationalOf(integer: number): Rational {
  return new Fraction(integer);
}

/** True for a rational without remainder. */
export function isInteger(value: Rational): boolean {
  return value.d === 1n;
}

/** left operator right, exactly; undefined for a division by zero. */
export function applyOperator(operator: ArithmeticOperator, left: Rational, right: Rational): Rational | undefined {
  switch (operator) {
    case '+':
      return left.add(right);
    case '-':
      return left.sub(right);
    case '*':
      return left.mul(right);
    case '/':
      return right.n === 0n ? undefined : left.div(right);
    default:
      return operator satisfies never;
  }
}

export type Evaluation =
  | { readonly ok: true; readonly value: Rational }
  | { readonly ok: false; readonly reason: string };

/**
 * The exact value of an expression.
 *
 * @param integerSteps  refuse every quotient that is not an integer
 */
export function evaluateExpression(expression: Expression, integerSteps: boolean): Evaluation {
  if (expression.kind === 'number') return { ok: true, value: rationalOf(expression.value) };
  const left = evaluateExpression(expression.left, integerSteps);
  if (!left.ok) return left;
  const right = evaluateExpression(expression.right, integerSteps);
  if (!right.ok) return right;
  const value = applyOperator(expression.operator, left.value, right.value);
  if (value === undefined) return { ok: false, reason: 'the answer divides by zero' };
  if (integerSteps && !isInteger(value)) return { ok: false, reason: 'a quotient is not an integer' };
  return { ok: true, value };
}
