/**
 * Expressions in x, as a policy may write them: whole numbers, x, + - * / ^ and brackets.
 *
 *   sum = ["-"] term {("+"|"-") term}        term = power {["*"|"/"] power}        power = base ["^" exponent]
 *   base = number | "x" | "(" sum ")"        exponent = ["-"] number | "(" ["-"] number ")"
 *
 * What is left out between two powers is a product, of the same rank as `*` and `/`, where the second begins with x or a
 * bracket: 1/3x is x divided by three. ASCII spaces may separate signs; `−`, `×`, `·` and `÷` are read as - * * /.
 */

export type Algebra =
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'variable' }
  | { readonly kind: 'negative'; readonly of: Algebra }
  | { readonly kind: 'power'; readonly base: Algebra; readonly exponent: number }
  | {
      readonly kind: 'operation';
      readonly operator: '+' | '-' | '*' | '/';
      readonly left: Algebra;
      readonly right: Algebra;
    };

export type AlgebraReading =
  | { readonly ok: true; readonly expression: Algebra }
  | { readonly ok: false; readonly reason: string };

/** Characters of a text that is read. */
const MOST_CHARACTERS = 256;
const MOST_DIGITS = 12;
const MOST_DEPTH = 16;
/** The most of any power, and of the whole where numbers count like x: bounds the work, and what a comparison at points can miss. */
const MOST_DEGREE = 200;

const TYPESET: Readonly<Record<string, string>> = { '\u2212': '-', '\u00d7': '*', '\u00b7': '*', '\u00f7': '/' };

/** Carries what is wrong out of the recursion; never leaves this file. */
class Unreadable extends Error {}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  parse(): Algebra {
    const expression = this.#sum();
    if (this.#at < this.#tokens.length) throw new Unreadable('something follows the expression');
    return expression;
  }

  #take(...signs: readonly string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || !signs.includes(token)) return undefined;
    this.#at++;
    return token;
  }

  #sum(): Algebra {
    const isNegative = this.#take('-') !== undefined;
    const first = this.#term();
    let left: Algebra = isNegative ? { kind: 'negative', of: first } : first;
    for (let operator = this.#take('+', '-'); operator; operator = this.#take('+', '-')) {
      left = { kind: 'operation', operator: operator as '+' | '-', left, right: this.#term() };
    }
    return left;
  }

  #term(): Algebra {
    let left = this.#power();
    for (;;) {
      const next = this.#tokens[this.#at];
      const operator = this.#take('*', '/') ?? (next === 'x' || next === '(' ? '*' : undefined);
      if (operator === undefined) return left;
      left = { kind: 'operation', operator: operator as '*' | '/', left, right: this.#power() };
    }
  }

  #power(): Algebra {
    const base = this.#base();
    if (!this.#take('^')) return base;
    const isEnclosed = this.#take('(') !== undefined;
    const sign = this.#take('-') === undefined ? 1 : -1;
    const digits = this.#tokens[this.#at++] ?? '';
    if (!/^[0-9]+$/.test(digits)) throw new Unreadable('an exponent is not a whole number');
    if (Number(digits) > MOST_DEGREE) throw new Unreadable(`an exponent is larger than ${MOST_DEGREE}`);
    if (isEnclosed && !this.#take(')')) throw new Unreadable('a bracket is not closed');
    return { kind: 'power', base, exponent: sign * Number(digits) };
  }

  #base(): Algebra {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Unreadable('the expression ends too early');
    if (token === 'x') return { kind: 'variable' };
    if (/^[0-9]/.test(token)) return { kind: 'number', value: BigInt(token) };
    if (token !== '(') throw new Unreadable(`"${token}" is where a number, x or a bracket belongs`);
    if (++this.#depth > MOST_DEPTH) throw new Unreadable(`brackets are within each other deeper than ${MOST_DEPTH}`);
    const inside = this.#sum();
    if (!this.#take(')')) throw new Unreadable('a bracket is not closed');
    this.#depth--;
    return inside;
  }
}

/** Bounds the degree of numerator and denominator together; a number counts like x. */
function degreeOf(expression: Algebra): number {
  switch (expression.kind) {
    case 'number':
    case 'variable':
      return 1;
    case 'negative':
      return degreeOf(expression.of);
    case 'power':
      return degreeOf(expression.base) * Math.abs(expression.exponent);
    case 'operation':
      return degreeOf(expression.left) + degreeOf(expression.right);
    default:
      return expression satisfies never;
  }
}

/** The tree of a text, or why there is none. Total and pure. */
export function readAlgebra(text: string): AlgebraReading {
  if (text.length > MOST_CHARACTERS) return { ok: false, reason: `more than ${MOST_CHARACTERS} characters` };
  const signs = text.replace(/[\u2212\u00d7\u00b7\u00f7]/g, (sign) => TYPESET[sign] as string);
  const tokens = signs.match(/[0-9]+|[^0-9]/g)?.filter((token) => !/^[ \t\r\n]$/.test(token)) ?? [];
  const wrong = tokens.find((token) => !/^(?:[-+*/^()x]|0|[1-9][0-9]*)$/.test(token));
  if (wrong !== undefined)
    return { ok: false, reason: 'a sign is not of an expression in x, or a number begins with 0' };
  if (tokens.some(({ length }) => length > MOST_DIGITS)) return { ok: false, reason: 'a number is too long' };
  try {
    const expression = new Parser(tokens).parse();
    if (degreeOf(expression) > MOST_DEGREE) return { ok: false, reason: `the degree may be more than ${MOST_DEGREE}` };
    return { ok: true, expression };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, reason: error.message };
    throw error;
  }
}

/** Exponents of the terms of a sum of multiples of powers of x, each written once; undefined where it is no such sum. */
export function termsOf(expression: Algebra): readonly number[] | undefined {
  const exponents: number[] = [];
  const collect = (one: Algebra): boolean => {
    if (one.kind === 'operation' && (one.operator === '+' || one.operator === '-')) {
      return collect(one.left) && one.right.kind !== 'negative' && collect(one.right);
    }
    const exponent = monomialOf(one.kind === 'negative' ? one.of : one);
    if (exponent === undefined) return false;
    exponents.push(exponent);
    return true;
  };
  if (!collect(expression)) return undefined;
  return new Set(exponents).size === exponents.length ? exponents : undefined;
}

/** The exponent of a number, a power of x, or a number and a power of x multiplied or divided by a number. */
function monomialOf(one: Algebra): number | undefined {
  if (one.kind === 'number') return 0;
  if (one.kind === 'variable') return 1;
  if (one.kind === 'power') return one.base.kind === 'variable' && one.exponent > 0 ? one.exponent : undefined;
  if (one.kind !== 'operation' || one.operator === '+' || one.operator === '-') return undefined;
  if (one.operator === '/') return one.right.kind === 'number' ? monomialOf(one.left) : undefined;
  const isCoefficient = one.left.kind === 'number' || isFraction(one.left);
  return isCoefficient && one.right.kind !== 'number' && one.right.kind !== 'operation'
    ? monomialOf(one.right)
    : undefined;
}

function isFraction(one: Algebra): boolean {
  return one.kind === 'operation' && one.operator === '/' && one.left.kind === 'number' && one.right.kind === 'number';
}
