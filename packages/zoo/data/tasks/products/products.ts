/** The product of two numbers. */
import { judgeNumber, lineTask, numberMisses } from '../../kit.ts';
import { type ProductsKnobs, productsCard } from './card.ts';

export type ProductsItem = { readonly a: number; readonly b: number };

export const products = lineTask<ProductsItem, ProductsKnobs>(productsCard, {
  characters: '0123456789*>',
  generate: (rng, { max }) => ({ a: rng.int(2, max), b: rng.int(2, max) }),
  key: ({ a, b }) => `product|${Math.min(a, b)}|${Math.max(a, b)}`,
  twin: ({ a, b, ...rest }) => (a === b ? null : { ...rest, a: b, b: a }),
  prompt: ({ a, b }) => `${a}*${b}>`,
  question: ({ a, b }) => `What is ${a} times ${b}?`,
  oracle: ({ a, b }) => String(a * b),
  verify: ({ a, b }, answer) => judgeNumber(answer, a * b),
  mutants: ({ a, b }) => ({
    ...numberMisses(a * b),
    'the product itself': `${a}*${b}`,
    'one factor more': String(a * b + a),
    'carry lost': String(a * b + 10),
  }),
  chance: ({ max }) => (max <= 30 ? 0.12 : 0.02),
  longest: ({ max }) => {
    const digits = String(max).length;
    return { prompt: 2 * digits + 2, answer: 2 * digits };
  },
});
