/**
 * The fewest swaps of two bits, next to each other or not, after which the bits alternate; `none` where they never do.
 */
import { judgeNumberOrNone } from '../../judging/judge.ts';
import { lineTask } from '../../line_task.ts';
import { type BinaryAlternationKnobs, binaryAlternationCard } from './card.ts';

export type BinaryAlternationItem = { readonly bits: string };

/** Bits that are wrong in the pattern that begins with `first`; each swap mends two. */
function wrongIn(bits: string, first: number): number {
  return bits.split('').filter((bit, i) => Number(bit) !== (first + i) % 2).length;
}

function swapsOf({ bits }: BinaryAlternationItem): string {
  const ones = bits.split('1').length - 1;
  const zeros = bits.length - ones;
  if (Math.abs(ones - zeros) > 1) return 'none';
  const patterns = ones > zeros ? [1] : zeros > ones ? [0] : [0, 1];
  return String(Math.min(...patterns.map((first) => wrongIn(bits, first))) / 2);
}

/** How many texts of `count` bits have `ones` ones. */
function choose(count: number, ones: number): number {
  let product = 1;
  for (let i = 1; i <= ones; i++) product = (product * (count - ones + i)) / i;
  return product;
}

/** Among those of one length, all numbers of ones are as likely where the bits cannot alternate, and one or two where they can. */
function frequency({ bits }: BinaryAlternationItem, { impossible }: BinaryAlternationKnobs): number {
  const ones = bits.split('1').length - 1;
  const kinds =
    swapsOf({ bits }) === 'none' ? impossible / (bits.length + 1) : (100 - impossible) / (1 + (bits.length % 2));
  return kinds / choose(bits.length, ones);
}

export const binaryAlternation = lineTask<BinaryAlternationItem, BinaryAlternationKnobs>(binaryAlternationCard, {
  characters: 'alt none 0123456789>',
  generate(rng, { length, impossible }) {
    const count = rng.int(6, length);
    const isImpossible = rng.int(0, 99) < impossible;
    const ones = isImpossible ? rng.int(0, count) : Math.floor(count / 2) + (count % 2) * rng.int(0, 1);
    const bits = rng.shuffle(Array.from({ length: count }, (_, i) => (i < ones ? '1' : '0'))).join('');
    return (swapsOf({ bits }) === 'none') === isImpossible ? { bits } : null;
  },
  frequency,
  key: ({ bits }) => `alternation|${bits}`,
  prompt: ({ bits }) => `alt ${bits}>`,
  question: ({ bits }) =>
    `How many swaps of two digits, at any places, does it take at least until the digits of ${bits} alternate? Answer none if they never do.`,
  oracle: swapsOf,
  verify: (item, answer) => judgeNumberOrNone(answer, swapsOf(item)),
  mutants: (item) => {
    const right = swapsOf(item);
    return {
      'one more': right === 'none' ? '1' : String(Number(right) + 1),
      'twice as many': right === 'none' ? '2' : String(2 * Number(right) + 3),
      'none or any': right === 'none' ? '0' : 'none',
      'two answers': `${right} ${right}`,
      'the bits': item.bits,
      negative: '-1',
    };
  },
  /** Counted: small counts are common. */
  chance: ({ length }) => (length <= 16 ? 0.45 : 0.35),
  longest: ({ length }) => ({ prompt: length + 5, answer: 4, question: 200 + length }),
});
