/**
 * The equations that a text claims: `12+7 = 19` in `so 12+7 = 19, and`.
 *
 * Commas, semicolons, colons, ends of lines and of sentences separate them. Words may precede the first side and follow
 * the last one; what has a sign, decimals or letters in a side is left alone, as it cannot be read for sure. Linear in the text.
 */
import { evaluateExpression, type Rational } from '../../../src/parsing/arithmetic.ts';
import { tokenizeArithmetic } from '../../../src/parsing/arithmetic_lexer.ts';
import { parseExpression } from '../../../src/parsing/expression.ts';

export interface Equation {
  /** Every side has the same value. */
  readonly isTrue: boolean;
  /** The value of its last side. */
  readonly result: Rational;
}

const SEPARATORS = /[,;:\n]|\.(?= |$)/;
const ARITHMETIC = new Set('0123456789+-*/() \u00d7\u00f7\u2212');

/** In the order of the text. Total and pure. */
export function equationsIn(text: string): Equation[] {
  return text.split(SEPARATORS).flatMap((part) => {
    const sides = part.split('=');
    const last = sides.length - 1;
    if (last < 1) return [];
    const [first, ...others] = sides.map((side, i) => {
      if (i === 0) return worthOf(lastWords(side));
      return worthOf(i === last ? firstWords(side) : side);
    });
    if (first === undefined || others.some((value) => value === undefined)) return [];
    const isTrue = others.every((value) => value?.equals(first));
    return [{ isTrue, result: others[others.length - 1] ?? first }];
  });
}

/** The arithmetic at the end of a text; nothing where it is joined to a word. */
function lastWords(text: string): string {
  let start = text.length;
  while (start > 0 && ARITHMETIC.has(text[start - 1])) start--;
  return start > 0 && text[start] !== ' ' ? '' : text.slice(start);
}

/** The arithmetic at the start of a text; nothing where it is joined to a word. */
function firstWords(text: string): string {
  let end = 0;
  while (end < text.length && ARITHMETIC.has(text[end])) end++;
  return end < text.length && text[end - 1] !== ' ' ? '' : text.slice(0, end);
}

function worthOf(side: string): Rational | undefined {
  const lexed = tokenizeArithmetic(side);
  const parsed = lexed.ok ? parseExpression(lexed.tokens) : undefined;
  const value = parsed?.ok ? evaluateExpression(parsed.expression, false) : undefined;
  return value?.ok ? value.value : undefined;
}
