/**
 * Splits the arithmetic text of a policy into numbers and symbols.
 *
 * Numbers are `0` or `[1-9][0-9]{0,8}`: no sign, no leading zero, no decimal point, no exponent. Tokens may be
 * separated by ASCII spaces. `×` U+00D7, `÷` U+00F7 and `−` U+2212 stand for `*`, `/` and `-`; any other
 * character makes the text malformed. One pass, linear in the length.
 */

export type ArithmeticSymbol = '+' | '-' | '*' | '/' | '(' | ')' | '=' | ',';

export type ArithmeticToken =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'symbol'; readonly symbol: ArithmeticSymbol };

export type LexerResult =
  | { readonly ok: true; readonly tokens: readonly ArithmeticToken[] }
  | { readonly ok: false; readonly reason: string };

const SYMBOLS: ReadonlyMap<string, ArithmeticSymbol> = new Map([
  ['+', '+'],
  ['-', '-'],
  ['*', '*'],
  ['/', '/'],
  ['(', '('],
  [')', ')'],
  ['=', '='],
  [',', ','],
  ['\u00d7', '*'],
  ['\u00f7', '/'],
  ['\u2212', '-'],
]);

const MAX_NUMBER_LENGTH = 9;

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (end < text.length && isDigit(text[end])) end++;
  return end;
}

function numberRuleBroken(digits: string): string | undefined {
  if (digits.length > MAX_NUMBER_LENGTH) return `a number has more than ${MAX_NUMBER_LENGTH} digits`;
  if (digits.length > 1 && digits[0] === '0') return 'a number has a leading zero';
  return undefined;
}

/** All tokens of a text, or why it is not arithmetic. Never throws. */
export function tokenizeArithmetic(text: string): LexerResult {
  const tokens: ArithmeticToken[] = [];
  let position = 0;
  while (position < text.length) {
    const character = text[position];
    if (character === ' ') {
      position++;
      continue;
    }
    if (isDigit(character)) {
      const end = endOfDigits(text, position);
      const digits = text.slice(position, end);
      const reason = numberRuleBroken(digits);
      if (reason !== undefined) return { ok: false, reason };
      tokens.push({ kind: 'number', value: Number(digits) });
      position = end;
      continue;
    }
    const symbol = SYMBOLS.get(character);
    if (symbol === undefined) return { ok: false, reason: `a character at position ${position} is not arithmetic` };
    tokens.push({ kind: 'symbol', symbol });
    position++;
  }
  return { ok: true, tokens };
}
