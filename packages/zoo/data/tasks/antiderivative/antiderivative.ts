/**
 * A function whose derivative is the one that is asked.
 *
 *   verdict     the answer is derived by rules of the package and compared; a constant may follow, as a number or as +C
 */
import { algebraMisses, judgeAlgebra, readOwn } from '../../algebra/judge_algebra.ts';
import {
  antiderivativeText,
  derived,
  drawPolynomial,
  type Polynomial,
  polynomialText,
} from '../../algebra/polynomials.ts';
import { lineTask, onlyMisses } from '../../kit.ts';
import { type AntiderivativeKnobs, antiderivativeCard } from './card.ts';

export type AntiderivativeItem = { readonly polynomial: Polynomial };

const judge = ({ polynomial }: AntiderivativeItem, answer: string) =>
  judgeAlgebra(
    answer,
    { expression: readOwn(polynomialText(polynomial)), as: 'value' },
    { compares: 'slope', hasConstant: true },
  );

export const antiderivative = lineTask<AntiderivativeItem, AntiderivativeKnobs>(antiderivativeCard, {
  characters: 'int 0123456789x^+-*/()C>',
  generate(rng, { degree, max, whole }) {
    const polynomial = whole ? derived(drawPolynomial(rng, degree + 1, max)) : drawPolynomial(rng, degree, max);
    return { polynomial };
  },
  key: ({ polynomial }) => `antiderivative|${polynomialText(polynomial)}`,
  prompt: ({ polynomial }) => `int ${polynomialText(polynomial)}>`,
  question: ({ polynomial }) =>
    `Give an antiderivative of ${polynomialText(polynomial)} with respect to x. Write it with + - * / ^ and brackets; the constant may be left out.`,
  oracle: ({ polynomial }) => antiderivativeText(polynomial),
  solutions: ({ polynomial }) => [1, 2].map((constant) => `${antiderivativeText(polynomial)}+${constant}`),
  verify: judge,
  mutants: (item) => {
    const { polynomial } = item;
    const right = antiderivativeText(polynomial);
    const texts: Record<string, string> = {
      ...algebraMisses(right),
      'the function': polynomialText(polynomial),
      'an integral that nobody computes': `Integral(${polynomialText(polynomial)}, x)`,
      'its sign': `int ${polynomialText(polynomial)}`,
      'two constants': `${right}+C+C`,
      'a constant times x': `${right}+Cx`,
      'the derivative': polynomialText(derived(polynomial)),
      'exponents not divided by': polynomialText([0, ...polynomial]),
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  chance: () => 0.05,
  longest: ({ degree, max, whole }) => {
    const widest = Array.from({ length: degree + 1 }, (_, i) => (i === degree ? max : -max));
    const problem = whole ? derived([0, ...widest]) : widest;
    return {
      prompt: polynomialText(problem).length + 5,
      answer: polynomialText([0, ...problem]).length + 3 * degree + 4,
      question: 160 + polynomialText(problem).length,
    };
  },
});
