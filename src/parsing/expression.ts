/**
 * Arithmetic expressions as trees: parser, printer and normal form. Nothing here computes a value.
 *
 *   expr = term {("+"|"-") term}     term = factor {("*"|"/") factor}     factor = number | "(" expr ")"
 */
import type { ArithmeticToken } from './arithmetic_lexer.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/';

export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | {
      readonly kind: 'operation';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    };

export type ParseResult =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly reason: string };

/** Deepest nesting of parentheses that is read; it bounds the recursion. */
const MAX_DEPTH = 32;

/** Carries a parse error out of the recursion; never leaves this file. */
class ParseFailure extends Error {}

class ExpressionParser {
  readonly #tokens: readonly ArithmeticToken[];
  #position = 0;
  #depth = 0;

  constructor(tokens: readonly ArithmeticToken[]) {
    this.#tokens = tokens;
  }

  parse(): Expression {
    const expression = this.#sum();
    if (this.#position < this.#tokens.length) throw new ParseFailure('something follows the expression');
    return expression;
  }

  /** Consumes the next token if it is one of two symbols, and returns it. */
  #take<S extends string>(first: S, second: S): S | undefined {
    const token = this.#tokens[this.#position];
    if (token?.kind !== 'symbol' || (token.symbol !== first && token.symbol !== second)) return undefined;
    this.#position++;
    return token.symbol as S; // equal to `first` or `second`, which are of type S
  }

  #sum(): Expression {
    let left = this.#product();
    for (let operator = this.#take('+', '-'); operator; operator = this.#take('+', '-')) {
      left = { kind: 'operation', operator, left, right: this.#product() };
    }
    return left;
  }

  #product(): Expression {
    let left = this.#factor();
    for (let operator = this.#take('*', '/'); operator; operator = this.#take('*', '/')) {
      left = { kind: 'operation', operator, left, right: this.#factor() };
    }
    return left;
  }

  #factor(): Expression {
    const token = this.#tokens[this.#position++];
    if (token === undefined) throw new ParseFailure('the expression ends too early');
    if (token.kind === 'number') return { kind: 'number', value: token.value };
    if (token.symbol !== '(') throw new ParseFailure(`"${token.symbol}" is where a number or "(" belongs`);
    if (++this.#depth > MAX_DEPTH) throw new ParseFailure(`parentheses are nested deeper than ${MAX_DEPTH}`);
    const inside = this.#sum();
    if (!this.#take(')', ')')) throw new ParseFailure('a parenthesis is not closed');
    this.#depth--;
    return inside;
  }
}

/** The tree of a token sequence, or why there is none. Never throws; recursion is bounded by MAX_DEPTH. */
export function parseExpression(tokens: readonly ArithmeticToken[]): ParseResult {
  try {
    return { ok: true, expression: new ExpressionParser(tokens).parse() };
  } catch (error) {
    if (error instanceof ParseFailure) return { ok: false, reason: error.message };
    throw error;
  }
}

/** The numbers of an expression, from left to right. */
export function literalsOf(expression: Expression, into: number[] = []): number[] {
  if (expression.kind === 'number') {
    into.push(expression.value);
  } else {
    literalsOf(expression.left, into);
    literalsOf(expression.right, into);
  }
  return into;
}

const isAdditive = (operator: ArithmeticOperator): boolean => operator === '+' || operator === '-';

/** Text with the fewest parentheses that parse back to the same tree; tokens separated by single spaces. */
export function renderExpression(expression: Expression): string {
  if (expression.kind === 'number') return String(expression.value);
  const { operator, left, right } = expression;
  const leftNeeds = left.kind === 'operation' && !isAdditive(operator) && isAdditive(left.operator);
  // Operators associate to the left, so a right operand of the same rank keeps its parentheses.
  const rightNeeds = right.kind === 'operation' && (!isAdditive(operator) || isAdditive(right.operator));
  const leftText = renderExpression(left);
  const rightText = renderExpression(right);
  return `${leftNeeds ? `( ${leftText} )` : leftText} ${operator} ${rightNeeds ? `( ${rightText} )` : rightText}`;
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Collects the operands of a chain of one rank; `inverted` under an odd number of right sides of - or /. */
function collectChain(expression: Expression, additive: boolean, inverted: boolean, into: string[]): void {
  if (expression.kind === 'number' || isAdditive(expression.operator) !== additive) {
    const sign = additive ? (inverted ? '-' : '+') : inverted ? '/' : '*';
    into.push(sign + canonicalForm(expression));
    return;
  }
  const flips = expression.operator === '-' || expression.operator === '/';
  collectChain(expression.left, additive, inverted, into);
  collectChain(expression.right, additive, inverted !== flips, into);
}

/** Normal form: chains of + - and of * / flattened, their operands sorted. `3*7+5` and `5+7*3` agree. */
export function canonicalForm(expression: Expression): string {
  if (expression.kind === 'number') return String(expression.value);
  const operands: string[] = [];
  collectChain(expression, isAdditive(expression.operator), false, operands);
  return `(${operands.sort(byCodeUnit).join('')})`;
}
