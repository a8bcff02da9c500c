/** Expressions of whole numbers as tasks ask them: their values, and one key for all that are the same sum. */
import { rotated } from '../../../src/data/rotated.ts';
import { evaluateExpression, isInteger } from '../../../src/parsing/arithmetic.ts';
import { tokenizeArithmetic } from '../../../src/parsing/arithmetic_lexer.ts';
import { canonicalForm, type Expression, parseExpression } from '../../../src/parsing/expression.ts';

/** The tree of a text that a task made. @throws RangeError where it is no expression */
export function expressionOf(text: string): Expression {
  const lexed = tokenizeArithmetic(text);
  const parsed = lexed.ok ? parseExpression(lexed.tokens) : lexed;
  if (parsed.ok) return parsed.expression;
  throw new RangeError(`${text}: ${parsed.reason}`);
}

/** The value of an expression in whole numbers. @throws RangeError where it has none */
export function integerOf(text: string): bigint {
  const result = evaluateExpression(expressionOf(text), true);
  if (!result.ok || !isInteger(result.value)) throw new RangeError(`${text} is no whole number`);
  return result.value.s * result.value.n;
}

/** The same sum with the terms that are added in another order; null where that is the same text. */
export function twinOfSum(text: string): string | null {
  const terms = text.split(/(?=[+-])/).map((term) => (/^[+-]/.test(term) ? term : `+${term}`));
  const added = rotated(terms.filter((term) => term.startsWith('+')));
  const twin = terms
    .map((term) => (term.startsWith('+') ? (added.shift() ?? term) : term))
    .join('')
    .slice(1);
  return twin === text ? null : twin;
}

/** The same for orders of the same numbers: `7+12-3` and `12-3+7`. */
export function expressionKey(text: string): string {
  return `expression|${canonicalForm(expressionOf(text))}`;
}
