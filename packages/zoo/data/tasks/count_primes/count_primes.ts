/** How many primes there are from one number to another, both included. */
import { judgeNumber, lineTask, numberMisses } from '../../kit.ts';
import { type CountPrimesKnobs, countPrimesCard } from './card.ts';

export type CountPrimesItem = { readonly from: number; readonly to: number };

const LARGEST = 10_000;

/** How many primes are not above each number, by the sieve. */
const PRIMES_UP_TO = (() => {
  const isComposite = new Uint8Array(LARGEST + 1);
  const counts = new Int32Array(LARGEST + 1);
  for (let number = 2; number <= LARGEST; number++) {
    counts[number] = (counts[number - 1] as number) + (isComposite[number] === 0 ? 1 : 0);
    if (isComposite[number] === 0)
      for (let multiple = number * number; multiple <= LARGEST; multiple += number) isComposite[multiple] = 1;
  }
  return counts;
})();

const countOf = ({ from, to }: CountPrimesItem): number =>
  (PRIMES_UP_TO[to] as number) - (PRIMES_UP_TO[from - 1] as number);

export const countPrimes = lineTask<CountPrimesItem, CountPrimesKnobs>(countPrimesCard, {
  characters: 'primes 0123456789>',
  generate(rng, { max }) {
    const [a, b] = [rng.int(1, max), rng.int(1, max)];
    return { from: Math.min(a, b), to: Math.max(a, b) };
  },
  key: ({ from, to }) => `primes|${from}|${to}`,
  prompt: ({ from, to }) => `primes ${from} ${to}>`,
  question: ({ from, to }) => `How many primes are there from ${from} to ${to}, both included?`,
  oracle: (item) => String(countOf(item)),
  verify: (item, answer) => judgeNumber(answer, countOf(item)),
  mutants: (item) => ({ ...numberMisses(countOf(item)), 'both numbers': `${item.from} ${item.to}` }),
  chance: ({ max }) => (max <= 100 ? 0.2 : 0.1),
  longest: ({ max }) => ({ prompt: 2 * String(max).length + 9, answer: 4 }),
});
