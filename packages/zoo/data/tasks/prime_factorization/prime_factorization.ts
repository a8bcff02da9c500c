/** The primes whose product a number is, each as often as it divides. Their order is free. */
import { rationalOf } from '../../../../../src/parsing/arithmetic.ts';
import { isNumber, readNumber } from '../../../../../src/parsing/number.ts';
import { readList } from '../../../parsing/list.ts';
import { correct, lineTask, listMisses, malformed, missing, wrongValue } from '../../kit.ts';
import { type PrimeFactorizationKnobs, primeFactorizationCard } from './card.ts';

export type PrimeFactorizationItem = { readonly number: number };

function factorsOf(number: number): number[] {
  const factors: number[] = [];
  let rest = number;
  for (let divisor = 2; divisor * divisor <= rest; divisor++) {
    for (; rest % divisor === 0; rest /= divisor) factors.push(divisor);
  }
  return rest > 1 ? [...factors, rest] : factors;
}

export const primeFactorization = lineTask<PrimeFactorizationItem, PrimeFactorizationKnobs>(primeFactorizationCard, {
  characters: 'fac 0123456789>',
  answers: 'open',
  generate(rng, { max }) {
    const number = rng.int(4, max);
    // A prime is its own factor: of ten of them, one is asked.
    return factorsOf(number).length === 1 && rng.int(0, 9) > 0 ? null : { number };
  },
  key: ({ number }) => `factors|${number}`,
  prompt: ({ number }) => `fac ${number}>`,
  question: ({ number }) =>
    `Factor ${number} into primes. Give each prime as often as it divides, separated by spaces.`,
  oracle: ({ number }) => factorsOf(number).join(' '),
  verify({ number }, answer) {
    const list = readList(answer);
    if (!list.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed(list.reason);
    const left = factorsOf(number);
    for (const element of list.elements) {
      const reading = readNumber(element, { plain: true });
      if (!reading.ok) return malformed('an element is no whole number');
      const at = left.findIndex((factor) => isNumber(reading, rationalOf(factor)));
      if (at < 0) return wrongValue('not these factors');
      left.splice(at, 1);
    }
    return left.length === 0
      ? correct('the prime factors', factorsOf(number).join(' '))
      : wrongValue('a factor is missing');
  },
  mutants: ({ number }, _knobs, rng) => {
    const factors = factorsOf(number);
    const texts = listMisses(factors.map(String), ' ', rng);
    const { reversed: _, 'neighbours swapped': __, ...misses } = texts; // right in any order
    return {
      ...misses,
      'with one': `1 ${factors.join(' ')}`,
      ...(factors.length > 1 && { 'the number itself': String(number) }),
      'as a product': `${factors.join('*')}*1`,
    };
  },
  chance: ({ max }) => (max <= 500 ? 0.1 : 0.02),
  longest: ({ max }) => {
    const bits = max.toString(2).length;
    return { prompt: String(max).length + 5, answer: Math.max(2 * bits, String(max).length) };
  },
});
