/**
 * The greatest common divisor of a few numbers.
 *
 * The divisor is drawn first and the numbers are multiples of it; of the problems whose divisor is 1 or 2 a part is left
 * out, by hash: they would be three quarters of all.
 */
import { splitPosition } from '../../../../../src/data/split.ts';
import { judgeNumber, lineTask, numberMisses, rotated } from '../../kit.ts';
import { type GcdKnobs, gcdCard } from './card.ts';

export type GcdItem = { readonly numbers: readonly number[] };

function divisorOf(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => {
    let [high, low] = [a, b];
    while (low > 0) [high, low] = [low, high % low];
    return high;
  });
}

function key({ numbers }: GcdItem): string {
  return `gcd|${[...numbers].sort((a, b) => a - b).join(',')}`;
}

function isLeftOut(item: GcdItem): boolean {
  const kept = [1, 1 / 6, 1 / 2][divisorOf(item.numbers)] ?? 1;
  return kept < 1 && splitPosition('gcd of few', key(item)) >= kept;
}

export const gcd = lineTask<GcdItem, GcdKnobs>(gcdCard, {
  characters: 'gcd 0123456789>',
  generate(rng, { max, numbers }) {
    const divisor = rng.int(1, Math.floor(max / 3));
    const drawn = Array.from({ length: numbers }, () => divisor * rng.int(1, Math.floor(max / divisor)));
    const item = { numbers: drawn };
    return new Set(drawn).size < numbers || isLeftOut(item) ? null : item;
  },
  key,
  twin: ({ numbers }) => ({ numbers: rotated(numbers) }),
  prompt: ({ numbers }) => `gcd ${numbers.join(' ')}>`,
  question: ({ numbers }) => `What is the greatest common divisor of ${numbers.join(', ')}?`,
  oracle: ({ numbers }) => String(divisorOf(numbers)),
  verify: ({ numbers }, answer) => judgeNumber(answer, divisorOf(numbers)),
  mutants: (item) => ({ ...numberMisses(divisorOf(item.numbers)), 'all numbers': item.numbers.join(' ') }),
  /** Counted: the share of the commonest divisor, which is 1 or 2. */
  chance: () => 0.3,
  longest: ({ max, numbers }) => {
    const digits = String(max).length;
    return { prompt: 4 + numbers * (digits + 1), answer: digits };
  },
});
