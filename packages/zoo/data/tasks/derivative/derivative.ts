/**
 * The derivative of a polynomial, or of a product or quotient of two.
 *
 *   verdict     the same function, however it is written
 *   split       by hash of the derivative, which other functions have too
 */
import { algebraMisses, judgeAlgebra, readOwn } from '../../algebra/judge_algebra.ts';
import {
  bracketed,
  derived,
  drawPolynomial,
  multiplied,
  type Polynomial,
  polynomialText,
  subtracted,
} from '../../algebra/polynomials.ts';
import { lineTask, onlyMisses } from '../../kit.ts';
import { type DerivativeKnobs, derivativeCard } from './card.ts';

export type DerivativeItem = { readonly form: DerivativeKnobs['form']; readonly parts: readonly Polynomial[] };

function problemText({ form, parts }: DerivativeItem): string {
  if (form === 'polynomial') return polynomialText(parts[0] ?? []);
  return parts.map(bracketed).join(form === 'product' ? '' : '/');
}

function rightAnswer({ form, parts: [one = [], two = [1]] }: DerivativeItem): string {
  if (form !== 'quotient') return polynomialText(derived(multiplied(one, two)));
  const numerator = subtracted(multiplied(derived(one), two), multiplied(one, derived(two)));
  return `${bracketed(numerator)}/(${polynomialText(two)})^2`;
}

const judge = (item: DerivativeItem, answer: string) =>
  judgeAlgebra(answer, { expression: readOwn(problemText(item)), as: 'slope' }, { compares: 'value' });

export const derivative = lineTask<DerivativeItem, DerivativeKnobs>(derivativeCard, {
  characters: 'd/x 0123456789^+-()*>',
  generate(rng, { form, degree, max }) {
    const item = {
      form,
      parts: Array.from({ length: form === 'polynomial' ? 1 : 2 }, () => drawPolynomial(rng, degree, max)),
    };
    return rightAnswer(item).startsWith('0') ? null : item; // a quotient of two that are alike
  },
  key: (item) => {
    const { form, parts } = item;
    return `derivative|${form === 'product' ? parts.map(polynomialText).sort().join('|') : problemText(item)}`;
  },
  splitKey: (item) => `derivative|${rightAnswer(item)}`,
  prompt: (item) => `d/dx ${problemText(item)}>`,
  question: (item) =>
    `What is the derivative of ${problemText(item)} with respect to x? Write it with + - * / ^ and brackets.`,
  oracle: rightAnswer,
  verify: judge,
  mutants: (item) => {
    const [one = [], two = [1]] = item.parts;
    const texts: Record<string, string> = {
      ...algebraMisses(rightAnswer(item)),
      'the function': problemText(item),
      'an operator that nobody runs': `d/dx ${problemText(item)}`,
      'each derived by itself': item.parts
        .map((part) => bracketed(derived(part)))
        .join(item.form === 'quotient' ? '/' : ''),
      'exponents kept': polynomialText(multiplied(one, two).map((coefficient, i) => coefficient * i)),
      'exponents not multiplied': polynomialText(multiplied(one, two).slice(1)),
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  chance: () => 0.05,
  longest: ({ form, degree, max }) => {
    const widest = Array.from({ length: degree + 1 }, (_, i) => (i === degree ? max : -max));
    const prompt = form === 'polynomial' ? polynomialText(widest).length : 2 * bracketed(widest).length + 1;
    const positive = widest.map(Math.abs);
    const product = multiplied(positive, positive).map((one) => one * degree);
    const answer = form === 'polynomial' ? derived(widest) : form === 'product' ? derived(product) : product;
    return {
      prompt: prompt + 6,
      answer: polynomialText(answer).length + (form === 'quotient' ? bracketed(widest).length + 6 : 1),
      question: 120 + prompt,
    };
  },
});
