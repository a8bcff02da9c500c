/**
 * Two complex numbers of whole parts, added, subtracted, multiplied or divided; the parts of a quotient are whole, too.
 *
 *   split       by hash of the operation and its operands, those of + and * in order
 *
 * Right or wrong: there is nothing for a number that is near.
 */
import { canonicalNumber } from '../../../../../src/parsing/number.ts';
import { readComplex } from '../../../parsing/complex_number.ts';
import { correct, lineTask, malformed, missing, type NearMisses, wrongValue } from '../../kit.ts';
import { type ComplexArithmeticKnobs, complexArithmeticCard } from './card.ts';

export type Complex = readonly [real: number, imaginary: number];
export type ComplexArithmeticItem = { readonly operator: string; readonly left: Complex; readonly right: Complex };

const OPERATIONS: Readonly<Record<string, (left: Complex, right: Complex) => Complex>> = {
  '+': ([a, b], [c, d]) => [a + c, b + d],
  '-': ([a, b], [c, d]) => [a - c, b - d],
  '*': ([a, b], [c, d]) => [a * c - b * d, a * d + b * c],
  // Only of multiples of the divisor.
  '/': ([a, b], [c, d]) => [(a * c + b * d) / (c * c + d * d), (b * c - a * d) / (c * c + d * d)],
};
const NAMES: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '*': 'times', '/': 'divided by' };

function compute(operator: string, left: Complex, right: Complex): Complex {
  return (OPERATIONS[operator] as (a: Complex, b: Complex) => Complex)(left, right);
}

const resultOf = ({ operator, left, right }: ComplexArithmeticItem): Complex => compute(operator, left, right);

function textOf([real, imaginary]: Complex): string {
  if (imaginary === 0) return String(real);
  const factor = imaginary === 1 ? 'i' : imaginary === -1 ? '-i' : `${imaginary}i`;
  if (real === 0) return factor;
  return `${real}${imaginary > 0 ? '+' : ''}${factor}`;
}

export const complexArithmetic = lineTask<ComplexArithmeticItem, ComplexArithmeticKnobs>(complexArithmeticCard, {
  characters: '0123456789+-*/()i>',
  generate(rng, { max, operations }) {
    const draw = (): Complex => [rng.int(-max, max), rng.int(-max, max)];
    const operator = rng.pick(operations.split(''));
    const right = draw();
    const other = draw();
    // Numbers without an imaginary part are none to practise on.
    if (right[1] === 0 || other[1] === 0) return null;
    return { operator, left: operator === '/' ? compute('*', other, right) : other, right };
  },
  key({ operator, left, right }) {
    const operands = [textOf(left), textOf(right)];
    return `complex|${operator}|${(operator === '+' || operator === '*' ? operands.sort() : operands).join('|')}`;
  },
  prompt: ({ operator, left, right }) => `(${textOf(left)})${operator}(${textOf(right)})>`,
  question: ({ operator, left, right }) =>
    `What is ${textOf(left)} ${NAMES[operator]} ${textOf(right)}, where i is the imaginary unit? Give it in the same form.`,
  oracle: (item) => textOf(resultOf(item)),
  verify(item, answer) {
    const reading = readComplex(answer);
    if (!reading.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed(reading.reason);
    const [real, imaginary] = resultOf(item);
    const canonical = `${canonicalNumber(reading.real)},${canonicalNumber(reading.imaginary)}`;
    return reading.real.equals(real) && reading.imaginary.equals(imaginary)
      ? correct('the right number', canonical)
      : { ...wrongValue('not the right number'), canonical };
  },
  mutants(item): NearMisses {
    const [real, imaginary] = resultOf(item);
    const texts: NearMisses = {
      'real part off by one': textOf([real + 1, imaginary]),
      'imaginary part off by one': textOf([real, imaginary - 1]),
      conjugate: textOf([real, -imaginary]),
      'parts swapped': textOf([imaginary, real]),
      negated: textOf([-real, -imaginary]),
      'real part alone': String(real),
      'without the i': `${real}+${Math.abs(imaginary)}`,
      'an i too many': `${textOf([real, imaginary])}i`,
      'three terms': `${textOf([real, imaginary])}+1`,
      'given twice': `${textOf([real, imaginary])} ${textOf([real, imaginary])}`,
      'the left number': textOf(item.left),
      'left to compute': `(${textOf(item.left)})${item.operator}(${textOf(item.right)})`,
    };
    const right = `${real},${imaginary}`;
    return Object.fromEntries(
      Object.entries(texts).filter(([, text]) => {
        const reading = readComplex(text);
        return !reading.ok || `${reading.real.valueOf()},${reading.imaginary.valueOf()}` !== right;
      }),
    );
  },
  chance: ({ max }) => (max <= 5 ? 0.03 : 0.02),
  longest: ({ max }) => {
    const digits = String(2 * max * max).length;
    return { prompt: 2 * digits + 2 * String(max).length + 13, answer: 2 * digits + 3 };
  },
});
