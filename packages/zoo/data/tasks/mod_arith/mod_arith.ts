/** The remainder of a small expression, from 0 to the modulus less one. */
import { expressionKey, integerOf } from '../../expressions.ts';
import { judgeNumber, lineTask, numberMisses } from '../../kit.ts';
import { type ModArithKnobs, modArithCard } from './card.ts';

export type ModArithItem = { readonly text: string; readonly modulus: number };

function remainder({ text, modulus }: ModArithItem): number {
  const rest = integerOf(text) % BigInt(modulus);
  return Number(rest < 0n ? rest + BigInt(modulus) : rest);
}

export const modArith = lineTask<ModArithItem, ModArithKnobs>(modArithCard, {
  characters: '0123456789+-*%()>',
  generate(rng, { terms, max, modulus }) {
    const drawn = Array.from({ length: terms }, () => rng.int(0, max));
    const text = drawn.map((number, i) => (i === 0 ? `${number}` : `${rng.pick(['+', '-', '*'])}${number}`)).join('');
    return { text, modulus: rng.int(3, modulus) };
  },
  key: ({ text, modulus }) => `mod|${modulus}|${expressionKey(text)}`,
  prompt: ({ text, modulus }) => `(${text})%${modulus}>`,
  question: ({ text, modulus }) => `What is (${text}) modulo ${modulus}? The remainder is at least 0.`,
  oracle: (item) => String(remainder(item)),
  verify: (item, answer) => judgeNumber(answer, remainder(item)),
  mutants: (item) => ({
    ...numberMisses(remainder(item)),
    'one modulus more': String(remainder(item) + item.modulus),
    'one modulus less': String(remainder(item) - item.modulus),
  }),
  /** Counted: 0 is the commonest remainder, as products with a multiple of the modulus have it. */
  chance: ({ modulus }) => (modulus < 9 ? 0.48 : modulus < 20 ? 0.35 : 0.25),
  longest: ({ terms, max, modulus }) => ({
    prompt: terms * (String(max).length + 1) + 4 + String(modulus).length,
    answer: String(modulus).length,
  }),
});
