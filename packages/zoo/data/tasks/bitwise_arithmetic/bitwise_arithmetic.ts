/**
 * An expression of hexadecimal numbers with + - * & | ^ << >>, computed as whole numbers of any size: a negative one has
 * its sign, and >> rounds down.
 *
 * Each operation around another one is in parentheses, so no precedence is to be known.
 */
import { readHexadecimal } from '../../../parsing/hexadecimal.ts';
import { correct, lineTask, malformed, missing, type NearMisses, wrongValue } from '../../kit.ts';
import { type BitwiseArithmeticKnobs, bitwiseArithmeticCard } from './card.ts';

/** A number, or an operation. */
export type BitwiseTree = number | readonly [operator: string, left: BitwiseTree, right: BitwiseTree];
export type BitwiseArithmeticItem = { readonly tree: BitwiseTree };

const OPERATIONS: Readonly<Record<string, (left: bigint, right: bigint) => bigint>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '&': (left, right) => left & right,
  '|': (left, right) => left | right,
  '^': (left, right) => left ^ right,
  '<<': (left, right) => left << right,
  '>>': (left, right) => left >> right,
};
const OPERATORS = Object.keys(OPERATIONS);
const MOST_SHIFT = 4;

function resultOf(tree: BitwiseTree): bigint {
  if (typeof tree === 'number') return BigInt(tree);
  const [operator, left, right] = tree;
  return (OPERATIONS[operator] as (a: bigint, b: bigint) => bigint)(resultOf(left), resultOf(right));
}

/** @param prefix  what precedes each number */
function textOf(tree: BitwiseTree, prefix = ''): string {
  if (typeof tree === 'number') return prefix + tree.toString(16);
  const [operator, left, right] = tree;
  const inside = (part: BitwiseTree): string =>
    typeof part === 'number' ? textOf(part, prefix) : `(${textOf(part, prefix)})`;
  const space = prefix === '' ? '' : ' ';
  return `${inside(left)}${space}${operator}${space}${inside(right)}`;
}

/** Terms of a sum with their signs; of anything else itself. */
function termsOf(tree: BitwiseTree, sign: '+' | '-'): string[] {
  if (typeof tree === 'number' || (tree[0] !== '+' && tree[0] !== '-')) return [sign + formOf(tree)];
  const [operator, left, right] = tree;
  return [...termsOf(left, sign), ...termsOf(right, operator === sign ? '+' : '-')];
}

function operandsOf(tree: BitwiseTree, operator: string): string[] {
  if (typeof tree === 'number' || tree[0] !== operator) return [formOf(tree)];
  return [...operandsOf(tree[1], operator), ...operandsOf(tree[2], operator)];
}

/** The same for orders of the same operands. */
function formOf(tree: BitwiseTree): string {
  if (typeof tree === 'number') return tree.toString(16);
  const [operator, left, right] = tree;
  if (operator === '+' || operator === '-') return `(${termsOf(tree, '+').sort().join('')})`;
  if ('*&|^'.includes(operator)) return `(${operandsOf(tree, operator).sort().join(operator)})`;
  return `(${formOf(left)}${operator}${formOf(right)})`;
}

const hexOf = (value: bigint): string => value.toString(16);

export const bitwiseArithmetic = lineTask<BitwiseArithmeticItem, BitwiseArithmeticKnobs>(bitwiseArithmeticCard, {
  characters: 'hex 0123456789abcdef()+-*&|^<>',
  generate(rng, { depth, digits }) {
    const number = (): number => rng.int(1, 16 ** rng.int(1, digits) - 1);
    let tree: BitwiseTree = number();
    for (let level = 0; level < depth; level++) {
      const operator = rng.pick(OPERATORS);
      const isShift = operator === '<<' || operator === '>>';
      const other = isShift ? rng.int(1, MOST_SHIFT) : number();
      tree = isShift || rng.int(0, 1) === 0 ? [operator, tree, other] : [operator, other, tree];
    }
    // Most problems whose result is 0 or 1 are left out: they would be the commonest.
    return resultOf(tree) >= 0n && resultOf(tree) <= 1n && rng.int(0, 3) > 0 ? null : { tree };
  },
  key: ({ tree }) => `bitwise|${formOf(tree)}`,
  prompt: ({ tree }) => `hex ${textOf(tree)}>`,
  question: ({ tree }) =>
    `What is ${textOf(tree, '0x')}? Numbers have any size, and >> rounds down. Answer in hexadecimal; a negative number has a minus sign.`,
  oracle: ({ tree }) => hexOf(resultOf(tree)),
  verify({ tree }, answer) {
    const reading = readHexadecimal(answer);
    if (!reading.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed(reading.reason);
    const canonical = hexOf(reading.value);
    return reading.value === resultOf(tree)
      ? correct('the right number', canonical)
      : { ...wrongValue('not the right number'), canonical };
  },
  mutants({ tree }): NearMisses {
    const value = resultOf(tree);
    const right = hexOf(value);
    return {
      'one more': hexOf(value + 1n),
      'one less': hexOf(value - 1n),
      ...(value !== 0n && { negated: hexOf(-value), 'digit appended': `${right}0` }),
      ...((value > 9n || value < -9n) && { 'in decimals': String(value) }),
      ...(value < 0n && { "the two's complement": hexOf(BigInt.asUintN(64, value)) }),
      'in binary': `0b${value < 0n ? -value : value}`,
      'two prefixes': `0x0x${right}`,
      'sign behind the prefix': `0x-${right}`,
      'letter behind it': `${right}h`,
      'given twice': `${right} ${right}`,
      'the expression': textOf(tree),
    };
  },
  chance: ({ depth, digits }) => (depth <= 2 && digits === 1 ? 0.09 : 0.05),
  longest: ({ depth, digits }) => ({
    prompt: 5 + (depth + 1) * digits + 4 * depth,
    answer: 2 + (depth + 1) * digits + depth,
    question: 160 + (depth + 1) * (digits + 2) + 6 * depth,
  }),
});
