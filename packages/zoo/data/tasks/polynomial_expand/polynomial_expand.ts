/**
 * Polynomials to multiply out.
 *
 *   verdict     the same function, written as a sum of terms without brackets, one of each power
 *   split       by hash of the product, which other factors may have too
 */
import { algebraMisses, judgeAlgebra, readOwn } from '../../algebra/judge_algebra.ts';
import { bracketed, drawPolynomial, multiplied, type Polynomial, polynomialText } from '../../algebra/polynomials.ts';
import { lineTask, onlyMisses, rotated } from '../../kit.ts';
import { type PolynomialExpandKnobs, polynomialExpandCard } from './card.ts';

export type PolynomialExpandItem = { readonly factors: readonly Polynomial[] };

const productOf = ({ factors }: PolynomialExpandItem): Polynomial => factors.reduce(multiplied, [1]);
const problemText = ({ factors }: PolynomialExpandItem): string => factors.map(bracketed).join('');

const judge = (item: PolynomialExpandItem, answer: string) =>
  judgeAlgebra(
    answer,
    { expression: readOwn(problemText(item)), as: 'value' },
    { compares: 'value', isExpanded: true },
  );

export const polynomialExpand = lineTask<PolynomialExpandItem, PolynomialExpandKnobs>(polynomialExpandCard, {
  characters: '0123456789x^+-()=*/',
  generate: (rng, { factors, degree, max, lead }) => ({
    factors: Array.from({ length: factors }, () => drawPolynomial(rng, degree, max, lead)),
  }),
  key: ({ factors }) => `expand|${factors.map(polynomialText).sort().join('|')}`,
  splitKey: (item) => `expand|${polynomialText(productOf(item))}`,
  twin: (item) => ({ ...item, factors: rotated(item.factors) }),
  prompt: (item) => `${problemText(item)}=`,
  question: (item) => `Expand ${problemText(item)}. Write a sum of terms with falling powers, such as 2x^2-3x+1.`,
  oracle: (item) => polynomialText(productOf(item)),
  verify: judge,
  mutants: (item) => {
    const right = polynomialText(productOf(item));
    const texts: Record<string, string> = {
      ...algebraMisses(right),
      'the problem': problemText(item),
      'a bracket around it': `(${right})`,
      'a term in two parts': `${right}+x-x`,
      'the first terms multiplied alone': polynomialText(
        item.factors
          .map((factor) => factor.map((one, i) => (i === factor.length - 1 ? one : 0)))
          .reduce(multiplied, [1]),
      ),
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  chance: () => 0.05,
  longest: ({ factors, degree, max, lead }) => {
    const widest = Array.from({ length: degree + 1 }, (_, i) => (i === degree ? lead : -max));
    const product = Array.from({ length: factors }, () => widest.map(Math.abs)).reduce(multiplied, [1]);
    return {
      prompt: factors * bracketed(widest).length + 1,
      answer: polynomialText(product).length + 1,
      question: 100 + factors * bracketed(widest).length,
    };
  },
});
