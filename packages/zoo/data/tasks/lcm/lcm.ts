/** The least common multiple of a few different numbers. */
import { judgeNumber, lineTask, numberMisses, rotated } from '../../kit.ts';
import { type LcmKnobs, lcmCard } from './card.ts';

export type LcmItem = { readonly numbers: readonly number[] };

function multipleOf(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => {
    let [high, low] = [a, b];
    while (low > 0) [high, low] = [low, high % low];
    return (a / high) * b;
  });
}

export const lcm = lineTask<LcmItem, LcmKnobs>(lcmCard, {
  characters: 'lcm 0123456789>',
  generate(rng, { max, numbers }) {
    const drawn = Array.from({ length: numbers }, () => rng.int(2, max));
    return new Set(drawn).size < numbers ? null : { numbers: drawn };
  },
  key: ({ numbers }) => `lcm|${[...numbers].sort((a, b) => a - b).join(',')}`,
  twin: ({ numbers }) => ({ numbers: rotated(numbers) }),
  prompt: ({ numbers }) => `lcm ${numbers.join(' ')}>`,
  question: ({ numbers }) => `What is the least common multiple of ${numbers.join(', ')}?`,
  oracle: ({ numbers }) => String(multipleOf(numbers)),
  verify: ({ numbers }, answer) => judgeNumber(answer, multipleOf(numbers)),
  mutants: ({ numbers }) => ({
    ...numberMisses(multipleOf(numbers)),
    'twice as much': String(2 * multipleOf(numbers)),
    'all numbers': numbers.join(' '),
  }),
  /** Counted: numbers with many divisors, such as 60, are the multiple of several pairs. */
  chance: ({ max }) => (max <= 20 ? 0.2 : 0.1),
  longest: ({ max, numbers }) => ({
    prompt: 4 + numbers * (String(max).length + 1),
    answer: numbers * String(max).length,
  }),
});
