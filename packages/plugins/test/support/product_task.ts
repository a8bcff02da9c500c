/** Products of two numbers, as a user would write such a task. */
import { integer, judgeNumber, lineTask, numberMisses, options, type Values } from '../../../zoo/data/index.ts';

type ProductItem = { readonly a: number; readonly b: number };
const KNOBS = options({ max: integer({ min: 9, max: 99, example: 20 }).default(20).describe('Largest factor.') });

export const product = lineTask<ProductItem, Values<typeof KNOBS>>(
  { name: 'product', version: 1, category: 'arithmetic', tier: 1, knobs: KNOBS, levels: [{}, { max: 50 }] },
  {
    family: 'product',
    characters: '0123456789*=',
    generate: (rng, { max }) => ({ a: rng.int(2, max), b: rng.int(2, max) }),
    key: ({ a, b }) => `product|${Math.min(a, b)}|${Math.max(a, b)}`,
    prompt: ({ a, b }) => `${a}*${b}=`,
    oracle: ({ a, b }) => String(a * b),
    verify: ({ a, b }, answer) => judgeNumber(answer, a * b),
    mutants: ({ a, b }) => numberMisses(a * b),
    chance: () => 0.2,
    longest: () => ({ prompt: 6, answer: 4 }),
  },
);
