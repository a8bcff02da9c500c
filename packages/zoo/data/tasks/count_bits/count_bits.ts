/** How many ones a number has in binary. */
import { judgeNumber, lineTask, numberMisses } from '../../kit.ts';
import { type CountBitsKnobs, countBitsCard } from './card.ts';

export type CountBitsItem = { readonly number: number };

function onesOf(number: number): number {
  let ones = 0;
  for (let rest = number; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return ones;
}

export const countBits = lineTask<CountBitsItem, CountBitsKnobs>(countBitsCard, {
  characters: 'bits 0123456789>',
  generate: (rng, { bits }) => ({ number: rng.int(0, 2 ** bits - 1) }),
  key: ({ number }) => `bits|${number}`,
  prompt: ({ number }) => `bits ${number}>`,
  question: ({ number }) => `How many ones has ${number} in binary?`,
  oracle: ({ number }) => String(onesOf(number)),
  verify: ({ number }, answer) => judgeNumber(answer, onesOf(number)),
  mutants: ({ number }) => ({ ...numberMisses(onesOf(number)), 'several counts': '1 2 3 4' }),
  /** Half of the bits are ones more often than any other number of them: C(b, b/2)/2^b, and more in a small sample. */
  chance: ({ bits }) => (bits <= 10 ? 0.35 : 0.25),
  longest: ({ bits }) => ({ prompt: String(2 ** bits - 1).length + 6, answer: 2 }),
});
