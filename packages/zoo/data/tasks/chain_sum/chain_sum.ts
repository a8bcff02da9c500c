/**
 * A sum and difference of a few numbers, from left to right.
 *
 *   split       by hash of the signed numbers in order: 7+12-3 is the same problem. The family is that of
 *               basic_arithmetic, which asks some of the same sums
 */
import { expressionKey, integerOf, twinOfSum } from '../../expressions.ts';
import { judgeNumber, lineTask, numberMisses } from '../../kit.ts';
import { type ChainSumKnobs, chainSumCard } from './card.ts';

export type ChainSumItem = { readonly text: string };

export const chainSum = lineTask<ChainSumItem, ChainSumKnobs>(chainSumCard, {
  family: 'expressions',
  characters: '0123456789+->',
  generate(rng, { terms, digits }) {
    const drawn = Array.from({ length: terms }, () => rng.int(0, 10 ** digits - 1));
    return { text: drawn.map((number, i) => (i === 0 ? `${number}` : `${rng.pick(['+', '-'])}${number}`)).join('') };
  },
  key: ({ text }) => expressionKey(text),
  twin({ text }) {
    const twin = twinOfSum(text);
    return twin === null ? null : { text: twin };
  },
  prompt: ({ text }) => `${text}>`,
  question: ({ text }) => `What is ${text}?`,
  oracle: ({ text }) => String(integerOf(text)),
  verify: ({ text }, answer) => judgeNumber(answer, integerOf(text)),
  mutants: ({ text }) => ({
    ...numberMisses(integerOf(text)),
    'the sum itself': text,
    'equals in front': `=${integerOf(text)}`,
  }),
  /** Counted: the commonest result of one digit each is 0 or 9. */
  chance: ({ digits }) => (digits === 1 ? 0.2 : 0.03),
  longest: ({ terms, digits }) => ({ prompt: terms * (digits + 1), answer: digits + 2 }),
});
