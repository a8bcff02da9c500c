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
  ['2\\frac{1}{3}', '\\frac{7}{3}'], ['2 1/3', '7/3'], ['-1\\frac12', '-1.5'], ['2\\frac{\\pi}{3}', '2pi/3'], ['\\frac12', '\\dfrac{1}{2}'], ['\\frac1{72}', '1/72'],
  ['-\\frac34', '-0.75'], ['1{,}234{,}567', '1234567'], ['10,\\!000', '10000'], ['+\\infty', '\\infty'], ['12345678901234567891', '12,345,678,901,234,567,891'],
  ['\\$18', '18 dollars'], ['$18', '18'], ['#### $18', '18'], ['-$5', '-5'], ['$18$ dollars', '18'], ['5\\text{ cm}^2', '5 square centimeters'], ['90^\\circ', '90'], ['5 m', '5\\text{ m}'],
  ['3 million', '3000000'], ['50 percent', '0.5'], ['\\boxed {\\fbox{7}}', '7'], ['0.1\\overline{6}', '1/6'], ['101_2', '101_{2}'], ['101_2', '101'], ['101_{\\text{two}}', '101_2'],
  ['3 \\pm \\sqrt2', '3-\\sqrt{2}, 3+\\sqrt{2}'], ['7 or 8', '8, 7'], ['x = 7 \\text{ or } x = 8', '\\{7, 8\\}'], ['x = 1, y = 2', 'y = 2, x = 1'], ['1 < x \\le 5', '(1, 5]'], ['5 \\ge x > 1', '(1, 5]'], ['x > 3', '(3, \\infty)'],
  ['x < 1 or x \\geq 3', '(-\\infty,1) \\cup [3,\\infty)'], ['\\mathbb{R}', '(-\\infty, \\infty)'], ['\\emptyset', '\\{\\}'], ['\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}', '\\begin{bmatrix}1&2\\\\3&\\frac{8}{2}\\end{bmatrix}'],
  ['5!', '120'], ['\\binom{5}{2}', '10'], ['\\sqrt[3]{16}', '2\\sqrt[3]{2}'], ['\\sqrt[3]{-8}', '-2'], ['\\sqrt{-4}', '2i'], ['i^2', '-1'], ['sqrt(4x)', '2\\sqrt{x}'], ['x^0.5', '\\sqrt{x}'], ['4^{n+1}', '4 \\cdot 2^{2n}'], ['e^{2x}', '(e^x)^2'],
  ['\\ln 12', '2\\ln 2 + \\ln 3'], ['\\log_2 8', '3'], ['\\log 100', '2'], ['\\sin 30^\\circ', '\\frac12'], ['\\cos\\frac{\\pi}{4}', '\\frac{\\sqrt2}{2}'], ['\\tan x', '\\frac{\\sin x}{\\cos x}'], ['\\arctan 1', '\\pi/4'], ['|1-x|', '|x-1|'],
  ['3:4', '6:8'], ['x^2 + y^2 = 4', '2x^2 + 2y^2 - 8 = 0'], ['y = 2x+3', '2x - y + 3 = 0'], ['f(x) = x+1', 'x+1'], ['\\text{Friday}', 'friday'], ['\\text{(C)}', 'C'], ['(-1)^{2023}', '-1'], ['(-2)^n', '(-1)^n 2^n'], ['2^{3}5^{2}', '200'], ['2!10!', '7257600'], ['18 apples', '18'], ['2\u00bd', '5/2'], ['x\u207b\u00b2', '1/x^2'], ['{1 \\over 2}', '1/2'],
  ['**5**', '5'], ['\\$1.5 \\text{ million}', '1500000'], ['(x,y) = (1,2)', '(1,2)'], ['Yes.', 'yes'], ['\\text{the circle}', 'circle'], ['x_1', 'x_{1}'],
  ['2\\pi', 'pi*2'], ['\\left(1, 2\\right)', '(1,2)'], ['{}', '{}'],
])('%s is %s', (a, b) => expect(same(a, b)).toBe(true));

// biome-ignore format: a table
it.each([
  ['1/2', '0.50000001'], ['50%', '50'], ['(1, 2)', '(2, 1)'], ['[0, 1)', '[0, 1]'], ['(1, 2)', '{1, 2}'], ['1, 1', '1'], ['x+1', 'y+1'],
  ['sqrt(2)', '1.41421356'], ['sqrt(5)', 'sqrt(3)+sqrt(2)'], ['(-∞, 3)', '(∞, 3)'], ['{1}', '1'], ['pi', '3.14159'], ['x', '1'], ['1e3', '1e2'], ['1.', '2'], ['\\text{5}', '6'],
  ['2\\frac{1}{3}', '\\frac{2}{3}'], ['1\\frac{1}{2}', '0.5'], ['12345678901234567891', '12345678901234567892'], ['5 cm', '5\\text{ m}'], ['5\\text{ cm}', '5\\text{ cm}^2'], ['\\$5', '5 cents'], ['18 dollars', '180'], ['18 apples', '18 oranges'], ['(-1)^n', '(-1)^{n+1}'],
  ['101_2', '5'], ['101_2', '101_3'], ['x = 5', 'y = 5'], ['x = 1, y = 2', '2, 1'], ['\\pm 3', '3'], ['x > 3', '[3, \\infty)'], ['x > 3', 'x < 3'], ['3:4', '4:3'], ['3:4', '\\frac34'], ['1/3', '0.333333'], ['5!', '5'], ['\\sqrt[3]{2}', '\\sqrt2'], ['i', '-i'], ['90^\\circ', '\\frac{\\pi}{2}'],
  ['\\sqrt{x^2}', 'x'], ['\\ln 2', '\\log 2'], ['\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}', '\\begin{pmatrix} 2 \\\\ 1 \\end{pmatrix}'], ['\\begin{pmatrix} 1 & 2 \\end{pmatrix}', '(1, 2)'], ['\\text{odd}', '\\text{even}'], ['x^2 + y^2 = 4', 'x^2 + y^2 = 5'], ['\\$18', '\\$-18'], ['3 million', '3'],
  ['(x-1)/(x-1)', '0'], ['1, 2, 2', '1, 1, 2'], ['(0,1) U (2,3)', '(0,1)'],
])('%s is not %s', (a, b) => expect(same(a, b)).toBe(false));

// biome-ignore format: a table
it.each(['', '1/0', '2**3', '(1+2', '1;2', '2^9999', '2\\frac{4}{3}', '2 3', '\\sqrt12', '18 dozen', '5 thirds', '5 scores', '5 squares', '5 less', '5 minus', '5 times', '5 tens', 'Answer: 42', '3abcs', '45^\\circ + 45^\\circ', '\\frac{1}{2}3', '5 is the answer', '\\sin^{-1} x', '12_2', '1:0', '2x > 3', '1 < 2', 'x \\neq 2', 'x^2^3', '\\frac{1.5}', '(1, \\infty', '200!', '0^{n}', '\\ln 0', '\\sqrt[11]{2}', '\\sqrt[4]{-1}', '\\log_1 2', '\\vec{a}', '((((((((((((((((((((((((((1))))))))))))))))))))))))))', '9'.repeat(260), '9'.repeat(600), '1,,2', 'twenty twenty', '(a+b+c+d+e+f+g+h)^40', 'x = ', '1e3e3', '1e999', 'x1e3', '..'])(
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

interface Notations {
  readonly golds: readonly string[];
  readonly pairs: readonly { readonly gold: string; readonly answer: string; readonly same: 0 | 1 }[];
}

const notations = JSON.parse(
  readFileSync(new URL('../../../../test/golden/math_notations.json', import.meta.url), 'utf8'),
) as Notations;

it("accepts 95 % of the right forms of MATH's and GSM8K's notations, and at most 1 in 300 wrong ones", () => {
  const { pairs } = notations;
  expect(pairs).toHaveLength(587);
  const right = pairs.filter((pair) => pair.same === 1);
  const wrong = pairs.filter((pair) => pair.same === 0);
  expect(wrong.length).toBeGreaterThan(180);
  const accepted = (of: typeof pairs) => of.filter(({ gold, answer }) => same(gold, answer) === true);
  expect(accepted(right).length / right.length).toBeGreaterThanOrEqual(0.95);
  expect(accepted(wrong)).toEqual([]);
});

it('reads 90 right answers as MATH writes them', () => {
  expect(notations.golds).toHaveLength(90);
  expect(notations.golds.filter((gold) => !readMathAnswer(gold).ok)).toEqual([]);
});
