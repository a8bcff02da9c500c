/**
 * Whether the number of ones is odd: 1, or 0.
 *
 * Half of the problems of each length have each answer. No part of the bits says anything of it, which makes it hard.
 */
import { judgeNumber, lineTask, numberMisses } from '../../kit.ts';
import { type ParityKnobs, parityCard } from './card.ts';

export type ParityItem = { readonly bits: string };

/** Shortest number: lengths below have too few problems. */
const LEAST_BITS = 4;

function parityOf(bits: string): number {
  return bits.split('1').length % 2 === 0 ? 1 : 0;
}

export const parity = lineTask<ParityItem, ParityKnobs>(parityCard, {
  characters: 'par 01>',
  generate(rng, { bits }) {
    const length = rng.int(LEAST_BITS, bits);
    return { bits: Array.from({ length }, () => rng.int(0, 1)).join('') };
  },
  key: ({ bits }) => `parity|${bits}`,
  prompt: ({ bits }) => `par ${bits}>`,
  question: ({ bits }) => `Is the number of ones in ${bits} odd? Answer 1 for odd and 0 for even.`,
  oracle: ({ bits }) => String(parityOf(bits)),
  verify: ({ bits }, answer) => judgeNumber(answer, parityOf(bits)),
  mutants: ({ bits }) => ({
    ...numberMisses(parityOf(bits)),
    'the other one': String(1 - parityOf(bits)),
    both: '0 1',
    ...(Number(bits) > 1 && { 'the bits': bits }), // 0001 is the number 1
  }),
  chance: () => 0.5,
  longest: ({ bits }) => ({ prompt: bits + 5, answer: 1 }),
});
