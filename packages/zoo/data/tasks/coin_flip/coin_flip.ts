/**
 * The probability of exactly, or at least, a number of heads in a few flips of a coin, fair or not, as a fraction.
 *
 *   split       by the numbers; exactly 2 of 5 heads at 1/3 and exactly 3 of 5 at 2/3 are on one side
 *
 * Any notation of exactly this number is right, 0.3125 and 31.25% too. Nothing is rounded.
 */
import Fraction from 'fraction.js';
import type { Rational } from '../../../../../src/parsing/arithmetic.ts';
import { canonicalNumber } from '../../../../../src/parsing/number.ts';
import { judgeNumber, lineTask, type NearMisses, onlyMisses } from '../../kit.ts';
import { type CoinFlipKnobs, coinFlipCard } from './card.ts';

export type CoinFlipItem = {
  readonly flips: number;
  readonly heads: number;
  readonly atLeast: boolean;
  /** Probability of heads, a numerator over a denominator in lowest terms. */
  readonly bias: readonly [number, number];
};

/** Ways that `heads` of the flips are heads, times how often each comes in denominator^flips. */
function ways({ flips, heads, bias: [top, bottom] }: CoinFlipItem): bigint {
  let choose = 1n;
  for (let i = 1; i <= heads; i++) choose = (choose * BigInt(flips - heads + i)) / BigInt(i);
  return choose * BigInt(top) ** BigInt(heads) * BigInt(bottom - top) ** BigInt(flips - heads);
}

function probability(item: CoinFlipItem): Rational {
  const { flips, heads, atLeast, bias } = item;
  let sum = ways(item);
  if (atLeast) for (let more = heads + 1; more <= flips; more++) sum += ways({ ...item, heads: more });
  return new Fraction(sum, BigInt(bias[1]) ** BigInt(flips));
}

function hasCommonDivisor(a: number, b: number): boolean {
  for (let divisor = 2; divisor <= a; divisor++) if (a % divisor === 0 && b % divisor === 0) return true;
  return false;
}

/** At least none is certain, and at least all are exactly all. */
function isProblem({ flips, heads, atLeast, bias: [top, bottom] }: CoinFlipItem): boolean {
  return heads <= flips && !(atLeast && (heads === 0 || heads === flips)) && !hasCommonDivisor(top, bottom);
}

const FEWEST_FLIPS = 2;

function* problems({ flips: most, bias: denominator }: CoinFlipKnobs): Iterable<CoinFlipItem> {
  for (let flips = FEWEST_FLIPS; flips <= most; flips++) {
    for (let heads = 0; heads <= flips; heads++) {
      for (const atLeast of [false, true]) {
        for (let bottom = 2; bottom <= denominator; bottom++) {
          for (let top = 1; top < bottom; top++) {
            const item: CoinFlipItem = { flips, heads, atLeast, bias: [top, bottom] };
            if (isProblem(item)) yield item;
          }
        }
      }
    }
  }
}

const isFair = ({ bias }: CoinFlipItem): boolean => bias[1] === 2;

function textOf(item: CoinFlipItem): string {
  const { flips, heads, atLeast, bias } = item;
  return `heads ${heads}${atLeast ? '+' : ''} of ${flips}${isFair(item) ? '' : ` at ${bias.join('/')}`}`;
}

/** Exactly `heads` heads is exactly the rest in tails. */
function mirrored({ flips, heads, atLeast, bias: [top, bottom] }: CoinFlipItem): CoinFlipItem {
  return { flips, heads: flips - heads, atLeast, bias: [bottom - top, bottom] };
}

export const coinFlip = lineTask<CoinFlipItem, CoinFlipKnobs>(coinFlipCard, {
  characters: 'heads of at 0123456789+/.>',
  generate(rng, { flips: most, bias }) {
    const flips = rng.int(FEWEST_FLIPS, most);
    const heads = rng.int(0, most);
    const atLeast = rng.int(0, 1) === 1;
    const bottom = rng.int(2, bias);
    const item = { flips, heads, atLeast, bias: [rng.int(1, bias - 1), bottom] as const };
    return item.bias[0] < bottom && isProblem(item) ? item : null;
  },
  enumerate: problems,
  key: (item) => `coin|${textOf(item)}`,
  splitKey: (item) => `coin|${item.atLeast ? textOf(item) : [textOf(item), textOf(mirrored(item))].sort()[0]}`,
  prompt: (item) => `${textOf(item)}>`,
  question(item) {
    const { flips, heads, atLeast, bias } = item;
    const coin = isFair(item) ? 'a fair coin' : `a coin that shows heads with probability ${bias.join('/')}`;
    return `What is the probability of ${atLeast ? 'at least' : 'exactly'} ${heads} heads in ${flips} flips of ${coin}? Give it as a fraction.`;
  },
  oracle: (item) => canonicalNumber(probability(item)),
  /** Decimals that end, of fair coins. */
  solutions: (item) => (isFair(item) ? [decimalOf(probability(item), item.flips)] : []),
  verify: (item, answer) => judgeNumber(answer, probability(item), {}),
  mutants(item): NearMisses {
    const right = probability(item);
    const { n, d } = right;
    const fraction = (top: bigint, bottom: bigint): string => canonicalNumber(new Fraction(top, bottom));
    const texts: NearMisses = {
      'one way more': fraction(n + 1n, d),
      'one way fewer': fraction(n - 1n, d),
      'the opposite': fraction(d - n, d),
      'at least for exactly, or the other way': canonicalNumber(probability({ ...item, atLeast: !item.atLeast })),
      'turned over': fraction(d, n),
      'numerator alone': String(n),
      'begun alone': '0',
      'rounded to a decimal': decimalOf(right, 1),
      'rounded to two decimals': decimalOf(right, 2),
      'given twice': `${n}/${d} ${n}/${d}`,
      'left to compute': `1/2^${item.flips}`,
      negative: `-${n}/${d}`,
    };
    return onlyMisses(texts, (text) => judgeNumber(text, right, {}));
  },
  /** Counted: 1/2, 1/4 and 3/4 are the commonest. */
  chance: ({ flips, bias }) => (flips <= 6 || bias <= 3 ? 0.12 : flips < 10 || bias < 6 ? 0.07 : 0.03),
  longest: ({ flips, bias }) => ({
    prompt: 28,
    answer: Math.max(flips + 2, 2 * String(BigInt(bias) ** BigInt(flips)).length + 1),
    question: 160,
  }),
});

/** A value from 0 to 1 cut to `places` decimals. */
function decimalOf({ n, d }: Rational, places: number): string {
  const digits = String((n * 10n ** BigInt(places)) / d).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
