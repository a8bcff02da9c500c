/**
 * An expression of four numbers, each used once, that is 24. Any one is right.
 *
 *   split       that of countdown, by target and sorted numbers: what is held out in one is in the other
 */
import Fraction from 'fraction.js';
import { verifyCountdownExpression } from '../../../../../src/data/tasks/countdown/expression.ts';
import { applyOperator, type Rational } from '../../../../../src/parsing/arithmetic.ts';
import { type Expression, renderExpression } from '../../../../../src/parsing/expression.ts';
import { lineTask, rotated } from '../../kit.ts';
import { type Puzzle24Knobs, puzzle24Card } from './card.ts';

export type Puzzle24Item = { readonly numbers: readonly number[] };

const TARGET = 24;

interface Valued {
  readonly tree: Expression;
  readonly value: Rational;
}

/** An expression of all of these values that is the target; undefined where there is none. */
function expressionOf(pool: readonly Valued[]): Expression | undefined {
  const [first] = pool;
  if (pool.length === 1) return first?.value.equals(TARGET) ? first.tree : undefined;
  for (let i = 0; i < pool.length; i++) {
    for (let j = 0; j < pool.length; j++) {
      if (i === j) continue;
      const [left, right] = [pool[i] as Valued, pool[j] as Valued];
      const others = pool.filter((_, index) => index !== i && index !== j);
      for (const operator of ['+', '-', '*', '/'] as const) {
        if (i > j && (operator === '+' || operator === '*')) continue; // tried in the other order
        const value = applyOperator(operator, left.value, right.value);
        if (value === undefined) continue;
        const tree: Expression = { kind: 'operation', operator, left: left.tree, right: right.tree };
        const found = expressionOf([...others, { tree, value }]);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

/** By the sorted numbers: the search takes a while, and a run asks for each problem several times. */
const found = new Map<string, string | undefined>();
const MOST_KEPT = 20_000;

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

function solution(numbers: readonly number[]): string | undefined {
  const inOrder = sorted(numbers);
  const name = inOrder.join();
  if (!found.has(name)) {
    if (found.size >= MOST_KEPT) found.clear();
    const tree = expressionOf(
      inOrder.map((value) => ({ tree: { kind: 'number', value }, value: new Fraction(value) })),
    );
    found.set(name, tree && renderExpression(tree).replaceAll(' ', ''));
  }
  return found.get(name);
}

export const puzzle24 = lineTask<Puzzle24Item, Puzzle24Knobs>(puzzle24Card, {
  family: 'countdown',
  characters: '0123456789: +-*/()>',
  answers: 'open',
  generate(rng, { max }) {
    const numbers = Array.from({ length: 4 }, () => rng.int(1, max));
    return solution(numbers) === undefined ? null : { numbers };
  },
  key: ({ numbers }) => `cd|${TARGET}|${sorted(numbers).join(',')}`,
  twin: (item) => ({ ...item, numbers: rotated(item.numbers) }),
  prompt: ({ numbers }) => `${TARGET}: ${numbers.join(' ')}>`,
  question: ({ numbers }) =>
    `Make ${TARGET} of the numbers ${numbers.join(', ')}, each used exactly once, by + - * / and brackets. Give one expression.`,
  oracle: ({ numbers }) => solution(numbers) as string, // generate has looked
  verify: ({ numbers }, answer) => verifyCountdownExpression({ numbers, target: TARGET }, answer),
  mutants: ({ numbers }) => {
    const right = solution(numbers) as string;
    const [a, b, c, d] = numbers;
    return {
      'the target alone': String(TARGET),
      'other numbers': '4*6*1*1'.replace(new RegExp(`^${sorted(numbers).join() === '1,1,4,6' ? '.*' : '$^'}$`), '24'),
      'one number more': `${right}+0`,
      'times one': `${right}*1`,
      'claims the target': `${right}=24`,
      'a power': `${a}**${b}`,
      'a whole quotient': `${a}//${b}`,
      'digits joined': `${a}${b}+${c}${d}`,
      'given twice': `${right} ${right}`,
    };
  },
  chance: () => 0.03,
  longest: ({ max }) => ({ prompt: 5 + 4 * (String(max).length + 1), answer: 4 * String(max).length + 9 }),
});
