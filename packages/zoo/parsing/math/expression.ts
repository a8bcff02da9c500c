/**
 * One expression, in LaTeX or plain, as an exact quotient.
 *
 *   sum     = ["+" | "-" | "±"] term {("+" | "-" | "±" | "∓") term}
 *   term    = power {["*" | "/"] power}                       what follows a number is no number: `2 3` has no value
 *   power   = base {"!" | "°"} ["^" ["-"] base]
 *   base    = number | mixed | letter ["_" index] | "(" sum ")" | "{" sum "}" | "|" sum "|" | \frac | \sqrt | \binom | function
 *   mixed   = whole number, \frac of whole numbers below 1, or 1/3 after a space
 *
 * As in LaTeX, \frac, \sqrt and \log_ take one digit where there are no braces: \frac12, \frac1{72}.
 */
import Fraction from 'fraction.js';
import {
  absolute,
  applied,
  binomial,
  FUNCTION_NAMES,
  factorial,
  isFunction,
  logarithmTo,
  rounded,
} from './functions.ts';
import {
  constant,
  constantOf,
  divided,
  letter,
  negative,
  product,
  type Quotient,
  raised,
  rootOf,
  sum,
  Unreadable,
} from './quotient.ts';

const MOST_DIGITS = 200;
const MOST_DEPTH = 24;

const GREEK =
  'alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta kappa lambda mu nu xi rho sigma tau phi varphi chi psi omega Gamma Delta Theta Lambda Sigma Phi Psi Omega ell'.split(
    ' ',
  );
const COMMANDS = ['frac', 'sqrt', 'binom', 'lfloor', 'rfloor', 'lceil', 'rceil', 'overline', 'pi'];
const WORDS = [...FUNCTION_NAMES, 'sqrt', 'pi'].sort((a, b) => b.length - a.length);
const TOKEN = new RegExp(`[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+|\\\\[A-Za-z]+|${WORDS.join('|')}|[A-Za-z]|[^ \\t\\r\\n]`, 'g');
const SIGNS = '+-\u00b1\u2213*/^(){}[]|_!\u00b0%';

/** @param branch  which of ± is meant: 1 for the upper signs, -1 for the lower ones */
export function readExpression(text: string, branch: 1 | -1 = 1): Quotient {
  return new Parser(text, branch).parse();
}

const isNumber = (token: string | undefined): token is string => token !== undefined && /^\.?[0-9]/.test(token);
const isWholeNumber = (token: string | undefined): token is string => token !== undefined && /^[0-9]+$/.test(token);

function checked(token: string): string {
  const name = token.startsWith('\\') ? token.slice(1) : token;
  const isName = COMMANDS.includes(name) || isFunction(name);
  if (token.startsWith('\\') && isName) return name;
  if (token.startsWith('\\') && GREEK.includes(name)) return token;
  if (token.length > MOST_DIGITS) throw new Unreadable('a number is too long');
  if (isNumber(token) || isName || /^[A-Za-z]$/.test(token) || SIGNS.includes(token)) return token;
  throw new Unreadable(`"${token}" is not of an expression`);
}

class Parser {
  readonly #tokens: string[];
  readonly #branch: 1 | -1;
  #at = 0;
  #depth = 0;
  /** Bars that are open: a further one closes. */
  #bars = 0;
  /** The last factor ended with a power or `!`, so that a number may follow: 2^{3}5, 2!10!. */
  #endsFactor = false;

  constructor(text: string, branch: 1 | -1) {
    this.#tokens = (text.match(TOKEN) ?? []).map(checked);
    this.#branch = branch;
  }

  parse(): Quotient {
    const value = this.#sum();
    const isPercent = this.#take('%');
    if (this.#at < this.#tokens.length) throw new Unreadable(`"${this.#next()}" is not expected there`);
    return isPercent ? divided(value, constant(100)) : value;
  }

  #next(): string | undefined {
    return this.#tokens[this.#at];
  }

  #take(sign: string): boolean {
    if (this.#next() !== sign) return false;
    this.#at++;
    return true;
  }

  #require(sign: string): void {
    if (!this.#take(sign)) throw new Unreadable('a bracket is not closed');
  }

  /** 1 or -1 where a sign of a term is next, undefined otherwise. */
  #sign(): number | undefined {
    if (this.#take('+')) return 1;
    if (this.#take('-')) return -1;
    if (this.#take('\u00b1')) return this.#branch;
    return this.#take('\u2213') ? -this.#branch : undefined;
  }

  #sum(): Quotient {
    if (++this.#depth > MOST_DEPTH) throw new Unreadable('brackets are too deep');
    let value = this.#signed(this.#sign() ?? 1);
    for (let sign = this.#sign(); sign !== undefined; sign = this.#sign()) value = sum(value, this.#signed(sign));
    this.#depth--;
    return value;
  }

  #signed(sign: number): Quotient {
    const term = this.#term();
    return sign < 0 ? negative(term) : term;
  }

  #term(): Quotient {
    let value = this.#power(true);
    for (;;) {
      if (this.#take('*')) value = product(value, this.#factor());
      else if (this.#take('/')) value = divided(value, this.#factor());
      else if (this.#continues()) value = product(value, this.#power(false));
      else return value;
    }
  }

  /** After a sign of multiplication. */
  #factor(): Quotient {
    return this.#take('-') ? negative(this.#power(true)) : this.#power(true);
  }

  /** Whether a factor without a sign before it is next. */
  #continues(): boolean {
    const next = this.#next();
    if (next === undefined) return false;
    if (next === '|') return this.#bars === 0;
    if (isNumber(next)) return this.#endsFactor && !isNumber(this.#tokens[this.#at - 1]);
    return /^(?:[A-Za-z]|\\.*|[({]|frac|sqrt|binom|pi|lfloor|lceil)$/.test(next) || isFunction(next);
  }

  /** @param mayBeMixed  whether a fraction may follow a whole number, as in 2 1/3 */
  #power(mayBeMixed: boolean): Quotient {
    const base = this.#base(mayBeMixed);
    let value = base;
    this.#endsFactor = false;
    for (;;) {
      if (this.#take('!')) [value, this.#endsFactor] = [factorial(value), true];
      else if (this.#take('\u00b0')) value = product(value, divided(letter('pi'), constant(180)));
      else break;
    }
    if (!this.#take('^')) return value;
    const power = raised(value, this.#exponent());
    this.#endsFactor = true;
    if (this.#next() === '^') throw new Unreadable('a power of a power needs braces');
    return this.#take('!') ? factorial(power) : power;
  }

  #exponent(): Quotient {
    const isNegative = this.#take('-');
    const exponent = this.#base(false);
    return isNegative ? negative(exponent) : exponent;
  }

  #base(mayBeMixed: boolean): Quotient {
    const token = this.#next();
    if (token === undefined) throw new Unreadable('the expression ends too early');
    this.#at++;
    if (token === '(') return this.#until(')');
    if (token === '{') return this.#until('}');
    if (token === '|') return absolute(this.#bar());
    if (token === 'lfloor') return rounded(this.#until('rfloor'), 'floor');
    if (token === 'lceil') return rounded(this.#until('rceil'), 'ceil');
    if (token === 'frac') {
      const over = this.#argument();
      return divided(over, this.#argument());
    }
    if (token === 'binom') {
      const over = this.#argument();
      return binomial(over, this.#argument());
    }
    if (token === 'sqrt') return this.#root();
    if (isFunction(token)) return this.#function(token);
    if (isNumber(token)) return this.#number(token, mayBeMixed);
    if (token === 'pi' || /^(?:[A-Za-z]|\\[A-Za-z]+)$/.test(token)) return letter(this.#indexed(token));
    throw new Unreadable(`"${token}" is not expected there`);
  }

  #until(close: string): Quotient {
    const value = this.#sum();
    this.#require(close);
    return value;
  }

  #bar(): Quotient {
    this.#bars++;
    const value = this.#until('|');
    this.#bars--;
    return value;
  }

  /** What LaTeX takes: braces, or one digit, letter or command. */
  #argument(): Quotient {
    const token = this.#next();
    if (!isNumber(token)) return this.#base(false);
    if (!isWholeNumber(token)) throw new Unreadable('a decimal needs braces');
    this.#tokens.splice(this.#at, 1, token[0], ...(token.length > 1 ? [token.slice(1)] : []));
    this.#at++;
    return constant(new Fraction(token[0]));
  }

  #root(): Quotient {
    let order = 2;
    if (this.#take('[')) {
      const value = constantOf(this.#until(']'));
      if (value?.d !== 1n || value.s <= 0n) throw new Unreadable('the order of a root is no whole number');
      order = Number(value.n);
    }
    return rootOf(this.#base(false), order);
  }

  #function(name: string): Quotient {
    const base = name === 'log' && this.#take('_') ? this.#argument() : undefined;
    const exponent = this.#take('^') ? this.#exponent() : undefined;
    if (exponent !== undefined && constantOf(exponent)?.s === -1n) throw new Unreadable(`${name}^-1 has two meanings`);
    const of = this.#functionArgument();
    const value = base === undefined ? applied(name, of) : logarithmTo(base, of);
    return exponent === undefined ? value : raised(value, exponent);
  }

  /** `\sin(x)y` is (sin x)·y, `\sin 2x` the sine of 2x. */
  #functionArgument(): Quotient {
    const next = this.#next() ?? '';
    if ('({|'.includes(next)) return this.#power(false);
    if (this.#take('-')) return negative(this.#functionArgument());
    let value = this.#power(false);
    for (;;) {
      const next = this.#next() ?? '';
      if (next === '(' || isFunction(next) || !this.#continues()) break;
      value = product(value, this.#power(false));
    }
    if (this.#take('/')) {
      if (!isNumber(this.#next())) throw new Unreadable('the argument of a function needs brackets');
      value = divided(value, this.#power(false));
    }
    return value;
  }

  /** `2\frac{1}{3}` and `2 1/3` are 7/3, as they are read aloud; 0.\overline{3} is 1/3. */
  #number(token: string, mayBeMixed: boolean): Quotient {
    if (isNumber(this.#next()) || this.#next() === 'frac') {
      const part = mayBeMixed && isWholeNumber(token) ? this.#fraction() : undefined;
      if (part !== undefined) return constant(part.add(token));
      if (this.#next() !== 'frac') throw new Unreadable('two numbers have no sign between them');
    }
    return constant(new Fraction(token));
  }

  /** The fraction of a mixed number; undefined, and nothing is taken, where something else than a fraction of whole numbers is next. */
  #fraction(): Fraction | undefined {
    const rest = this.#tokens.slice(this.#at, this.#at + 7).join(' ');
    const plain = /^([0-9]+) \/ ([0-9]+)(?= |$)/.exec(rest);
    const latex = /^frac (?:([0-9]{2})(?= |$)|(?:\{ ([0-9]+) \}|([0-9])) ?(?:\{ ([0-9]+) \}|([0-9])(?= |$)))/.exec(
      rest,
    );
    const match = plain ?? latex;
    if (match === null) return undefined;
    const [over, under] =
      plain !== null ? plain.slice(1) : (latex?.[1]?.split('') ?? [latex?.[2] ?? latex?.[3], latex?.[4] ?? latex?.[5]]);
    const part =
      under === undefined || BigInt(under) === 0n ? undefined : new Fraction(BigInt(over ?? 0), BigInt(under));
    if (part === undefined || part.n === 0n || part.compare(1) >= 0) {
      throw new Unreadable('a whole number has a fraction behind it that is not between 0 and 1');
    }
    this.#at += match[0].split(' ').filter((token) => token !== '').length;
    return part;
  }

  /** x_1, x_{12} and a_n are letters of their own. */
  #indexed(name: string): string {
    if (!this.#take('_')) return name;
    const braced = this.#take('{');
    let index = '';
    while (/^[A-Za-z0-9]+$/.test(this.#next() ?? '') && (braced || index === '')) index += this.#tokens[this.#at++];
    if (index === '' || (braced && !this.#take('}'))) throw new Unreadable('an index is neither a number nor a letter');
    return `${name}_${index}`;
  }
}
