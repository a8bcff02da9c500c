/** An expression with brackets; every quotient in it is a whole number. */
import { type Expression, renderExpression } from '../../../../../src/parsing/expression.ts';
import { expressionKey, integerOf } from '../../expressions.ts';
import { judgeNumber, lineTask, numberMisses, type Rng } from '../../kit.ts';
import { type BasicArithmeticKnobs, basicArithmeticCard } from './card.ts';

export type BasicArithmeticItem = { readonly text: string };

/** Largest value on the way, so that answers stay short. */
const MOST = 99_999;

/** A tree with its value. */
interface Valued {
  readonly tree: Expression;
  readonly value: number;
}

/** A random tree of `terms` numbers; null where its root divides unevenly or its value is too large. */
function draw(rng: Rng, terms: number, most: number): Valued | null {
  if (terms === 1) {
    const value = rng.int(0, most);
    return { tree: { kind: 'number', value }, value };
  }
  const left = draw(rng, rng.int(1, terms - 1), most);
  const right = left && draw(rng, terms - countOf(left.tree), most);
  if (left === null || right === null) return null;
  const operator = rng.pick(['+', '-', '*', '/'] as const);
  const value = apply(operator, left.value, right.value);
  if (value === undefined || Math.abs(value) > MOST) return null;
  return { tree: { kind: 'operation', operator, left: left.tree, right: right.tree }, value };
}

function countOf(tree: Expression): number {
  return tree.kind === 'number' ? 1 : countOf(tree.left) + countOf(tree.right);
}

function apply(operator: '+' | '-' | '*' | '/', left: number, right: number): number | undefined {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  return right === 0 || left % right !== 0 ? undefined : left / right;
}

export const basicArithmetic = lineTask<BasicArithmeticItem, BasicArithmeticKnobs>(basicArithmeticCard, {
  family: 'expressions',
  characters: '0123456789+-*/()>',
  generate(rng, { terms, digits }) {
    const drawn = draw(rng, terms, 10 ** digits - 1);
    // Products and quotients make many zeros: of ten problems whose value is 0, one is asked.
    if (drawn === null || (drawn.value === 0 && rng.int(0, 9) > 0)) return null;
    return { text: renderExpression(drawn.tree).replaceAll(' ', '') };
  },
  key: ({ text }) => expressionKey(text),
  prompt: ({ text }) => `${text}>`,
  question: ({ text }) => `What is ${text}?`,
  oracle: ({ text }) => String(integerOf(text)),
  verify: ({ text }, answer) => judgeNumber(answer, integerOf(text)),
  mutants: ({ text }) => ({
    ...numberMisses(integerOf(text)),
    'the expression itself': text,
    'over one': `${integerOf(text)}/1`,
  }),
  /** Counted: the commonest values of small problems are small. */
  chance: ({ terms, digits }) => (digits === 1 && terms <= 3 ? 0.2 : 0.1),
  longest: ({ terms, digits }) => ({ prompt: terms * (digits + 3), answer: 6 }),
});
