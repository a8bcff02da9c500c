/** Python's operators on numbers, texts and lists. */
import { MOST_PADDING, percentFormat } from './format.ts';
import { TemplateError } from './lexer.ts';
import { numberOf, requireDefined, Tuple, typeOf, type Value } from './values.ts';

/** Bits of an integer that `**` may give. */
const MOST_BITS = 100_000;

/** @throws TemplateError where Python has no such operation */
export function operate(operator: string, left: Value, right: Value): Value {
  requireDefined(left);
  if (operator === '%' && typeof left === 'string') return percentFormat(left, right);
  requireDefined(right);
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) {
    return typeof a === 'bigint' && typeof b === 'bigint'
      ? ofInts(operator, a, b)
      : ofFloats(operator, Number(a), Number(b));
  }
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return left + right;
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
    if (left instanceof Tuple && right instanceof Tuple) return new Tuple([...left.items, ...right.items]);
  }
  if (operator === '*') {
    if (typeof b === 'bigint') return repeated(left, b);
    if (typeof a === 'bigint') return repeated(right, a);
  }
  const types = `'${typeOf(left)}' and '${typeOf(right)}'`;
  throw new TemplateError(`unsupported operand type(s) for ${operator}: ${types}`);
}

function repeated(value: Value, times: bigint): Value {
  const count = times > 0n ? Number(times) : 0;
  const limited = (length: number): void => {
    if (length * count > MOST_PADDING) throw new TemplateError(`a repetition of ${length * count} elements`);
  };
  if (typeof value === 'string') {
    limited(value.length);
    return value.repeat(count);
  }
  if (!Array.isArray(value)) throw new TemplateError(`unsupported operand type(s) for *: '${typeOf(value)}' and 'int'`);
  limited(value.length);
  return Array.from({ length: count }, () => value).flat();
}

function ofInts(operator: string, a: bigint, b: bigint): Value {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return ofFloats('/', Number(a), Number(b));
    case '//':
    case '%': {
      if (b === 0n) throw new TemplateError('integer division or modulo by zero');
      const rest = a % b;
      const isBelow = rest !== 0n && rest < 0n !== b < 0n;
      if (operator === '%') return isBelow ? rest + b : rest;
      return isBelow ? a / b - 1n : a / b;
    }
    default:
      if (b < 0n) return ofFloats('**', Number(a), Number(b));
      if (BigInt(a.toString(2).length) * b > MOST_BITS) throw new TemplateError(`${a} ** ${b} is too large`);
      return a ** b;
  }
}

function ofFloats(operator: string, a: number, b: number): number {
  if (b === 0 && ['/', '//', '%'].includes(operator)) throw new TemplateError('division by zero');
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return modulo(a, b);
    case '//': {
      const quotient = (a - modulo(a, b)) / b;
      return Math.floor(quotient) + (quotient - Math.floor(quotient) > 0.5 ? 1 : 0);
    }
    default:
      if (a < 0 && !Number.isInteger(b)) throw new TemplateError('a complex number is not supported');
      return a ** b;
  }
}

function modulo(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}
