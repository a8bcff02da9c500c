/** Mathematical answers in every notation that is read: what is equal, what is not, and what is no answer. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isSameMath, readMathAnswer } from '../../parsing/math_answer.ts';

function same(a: string, b: string): boolean | string {
  const [left, right] = [readMathAnswer(a), readMathAnswer(b)];
  if (!left.ok) return left.reason;
  if (!right.ok) return right.reason;
  expect(isSameMath(left.value, right.value)).toBe(isSameMath(right.value, left.value));
  return isSameMath(left.value, right.value);
}

// biome-ignore format: a table
it.each([
  ['1/2', '0.5'], ['50%', '\\frac12'.replace('12', '{1}{2}')], ['1,000', '1000'], ['x = 5', '5'], ['$\\boxed{7}$'.slice(1, -1), '7'],
  ['2x+3', '3 + 2*x'], ['(x+1)^2', 'x^2+2x+1'], ['(x^2-1)/(x-1)', 'x+1'], ['xy', 'y x'], ['a(b+c)', 'ab+ac'], ['x^-1', '1/x'],
  ['sqrt(8)', '2sqrt(2)'], ['1/sqrt(2)', '\\frac{\\sqrt{2}}{2}'], ['√(1/3)', 'sqrt(3)/3'], ['sqrt(2)sqrt(3)', 'sqrt(6)'], ['(1+sqrt2)^2'.replace('sqrt2', 'sqrt(2)'), '3+2\\sqrt{2}'],
  ['{1, 2}', '{2, 1, 2}'], ['1, 2', '2, 1'], ['(1, 2)', '(2/2, 4/2)'], ['[0, 1/2)', '[0, 0.5)'], ['(-\\infty, 3]', '(-∞, 3]'],
  ['(0,1) \\cup [2,3]', '[2,3] U (0,1)'], ['twenty-one', '21'], ['minus three hundred and five', '-305'], ['two thousand twelve', '2012'],
  ['42.', '42'], ['1e3', '1000'], ['1.5E-3', '0.0015'], ['2e+2', '200'], ['\\text{5}', '5'],
  ['2\\pi', 'pi*2'], ['\\left(1, 2\\right)', '(1,2)'], ['{}', '{}'],
])('%s is %s', (a, b) => expect(same(a, b)).toBe(true));

// biome-ignore format: a table
it.each([
  ['1/2', '0.50000001'], ['50%', '50'], ['(1, 2)', '(2, 1)'], ['[0, 1)', '[0, 1]'], ['(1, 2)', '{1, 2}'], ['1, 1', '1'], ['x+1', 'y+1'],
  ['sqrt(2)', '1.41421356'], ['sqrt(5)', 'sqrt(3)+sqrt(2)'], ['(-∞, 3)', '(∞, 3)'], ['{1}', '1'], ['pi', '3.14159'], ['x', '1'], ['1e3', '1e2'], ['1.', '2'], ['\\text{5}', '6'],
  ['(x-1)/(x-1)', '0'], ['1, 2, 2', '1, 1, 2'], ['(0,1) U (2,3)', '(0,1)'],
])('%s is not %s', (a, b) => expect(same(a, b)).toBe(false));

// biome-ignore format: a table
it.each(['5 km', '3 hours', '', '1/0', '2**3', 'x^y', 'x^0.5', 'sqrt(x)', 'sqrt(-1)', '(1+2', '1;2', '2^9999', '((((((((((((((((((((((((((1))))))))))))))))))))))))))', '9'.repeat(60), '1,,2', 'twenty twenty', '(a+b+c+d+e+f+g+h)^40', 'x = ', '7 or 8', '1e3e3', '1e999', 'x1e3', '..'])(
  '%s is no answer', (text) => expect(readMathAnswer(text).ok).toBe(false),
);

it('agrees with sympy on pairs of expressions with letters and roots', () => {
  const pairs = JSON.parse(
    readFileSync(new URL('../../../../test/parsing/math_pairs.json', import.meta.url), 'utf8'),
  ) as [string, string, 0 | 1][];
  const wrong = pairs.filter(([a, b, label]) => same(a, b) !== (label === 1));
  expect(wrong).toEqual([]);
  expect(pairs.length).toBeGreaterThan(600);
});
