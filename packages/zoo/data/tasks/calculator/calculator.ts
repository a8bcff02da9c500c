/**
 * Add up some numbers, with a calculator.
 *
 *   prompt      512+630+781+104=
 *   action      <call>calc 512+630+781+104</call>    any expression of whole numbers, + - * / and brackets
 *   observation 2027                                 ? where that was no expression, or has no whole value
 *   answer      2027                                 an action without a call; the sum wins
 *   split       by hash of the numbers, whatever their order
 *
 * With `tools: []` the answer is all there is.
 */
import { evaluateExpression, isInteger } from '../../../../../src/parsing/arithmetic.ts';
import { tokenizeArithmetic } from '../../../../../src/parsing/arithmetic_lexer.ts';
import { parseExpression } from '../../../../../src/parsing/expression.ts';
import { judgeNumber, numberMisses } from '../../kit.ts';
import { tool } from '../../tools/tool.ts';
import { toolEnvironment } from '../../tools/tool_environment.ts';
import { type CalculatorKnobs, calculatorCard } from './card.ts';

export type CalculatorItem = { readonly numbers: readonly number[] };

/** The whole number that an expression is; undefined where it is none. */
function wholeValueOf(expression: string): bigint | undefined {
  const lexed = tokenizeArithmetic(expression);
  const parsed = lexed.ok ? parseExpression(lexed.tokens) : lexed;
  const result = parsed.ok ? evaluateExpression(parsed.expression, false) : parsed;
  return result.ok && isInteger(result.value) ? result.value.s * result.value.n : undefined;
}

const calc = tool({
  name: 'calc',
  description: 'Computes an expression of whole numbers, such as 12+34.',
  parameters: { expression: { type: 'string', description: 'Whole numbers with + - * / and brackets.' } },
  call({ expression }, state: null) {
    const value = wholeValueOf(expression);
    return value === undefined
      ? { state, flaw: 'no expression with a whole value' }
      : { state, observation: `${value}` };
  },
});

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, value) => sum + value, 0);
const smallest = (digits: number): number => (digits === 1 ? 1 : 10 ** (digits - 1));
const digitsOfSum = ({ numbers, digits }: CalculatorKnobs): number => String(numbers * (10 ** digits - 1)).length;

export const calculator = toolEnvironment<CalculatorItem, null, CalculatorKnobs>(calculatorCard, {
  family: 'calculator',
  characters: '0123456789+-*/()=',
  tools: [calc],
  generate: (rng, { numbers, digits }) => ({
    numbers: Array.from({ length: numbers }, () => rng.int(smallest(digits), 10 ** digits - 1)),
  }),
  key: ({ numbers }) => `calculator|${[...numbers].sort((a, b) => a - b).join('+')}`,
  prompt: ({ numbers }) => `${numbers.join('+')}=`,
  question: ({ numbers }) => `What is ${numbers.join(' + ')}? Answer with the number alone.`,
  start: () => null,
  verify: ({ identity }, answer) => judgeNumber(answer, sumOf(identity.numbers)),
  expert({ identity: { numbers }, results }, { tools }) {
    const sum = String(sumOf(numbers));
    const isKnown = tools.length === 0 || results.includes(sum);
    return isKnown ? sum : { call: 'calc', arguments: { expression: numbers.join('+') } };
  },
  random({ identity: { numbers } }, { tools, digits }, rng) {
    if (tools.length === 0 || rng.float() < 0.5) {
      return String(numbers.length * smallest(digits) + rng.int(0, numbers.length * 9 * smallest(digits)));
    }
    return { call: 'calc', arguments: { expression: `${rng.pick(numbers)}+${rng.pick(numbers)}` } };
  },
  mutants: ({ numbers }) => {
    const sum = sumOf(numbers);
    return {
      ...numberMisses(sum),
      'the expression': numbers.join('+'),
      'a call that nobody reads': `<call>calc ${numbers.join('+')}</call>`,
      'the answer in a call': `<call>calc ${sum}</call>`,
      'the answer after a call': `<call>calc 1+1</call>${sum}`,
    };
  },
  /** A sum of the commonest value: at most one in as many as the last number may be. */
  chance: ({ digits }) => 0.02 + 1 / (9 * smallest(digits)),
  longest(knobs) {
    const { numbers, digits, calls } = knobs;
    const expression = numbers * (digits + 1);
    const sum = digitsOfSum(knobs);
    return {
      calls,
      prompt: expression,
      values: expression,
      observation: sum,
      answer: sum,
      question: 60 + 2 * expression,
    };
  },
});
