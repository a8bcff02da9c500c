/**
 * Numbers in ascending (`up`) or descending (`down`) order.
 *
 *   split       by the sorted numbers: all orders of them, in both directions, are on one side
 */
import { judgeNumbers } from '../../judging/judge.ts';
import { lineTask, listMisses } from '../../kit.ts';
import { type NumberSortingKnobs, numberSortingCard } from './card.ts';

export type NumberSortingItem = { readonly direction: 'up' | 'down'; readonly numbers: readonly number[] };

function sorted({ direction, numbers }: NumberSortingItem): string[] {
  const ascending = [...numbers].sort((a, b) => a - b).map(String);
  return direction === 'up' ? ascending : ascending.reverse();
}

export const numberSorting = lineTask<NumberSortingItem, NumberSortingKnobs>(numberSortingCard, {
  characters: 'updown 0123456789->',
  generate(rng, { numbers, max, direction, negative }) {
    const drawn = Array.from({ length: numbers }, () => rng.int(negative ? -max : 0, max));
    return { direction: direction ?? rng.pick(['up', 'down'] as const), numbers: drawn };
  },
  key: ({ direction, numbers }) => `sort numbers|${direction}|${numbers.join(',')}`,
  splitKey: ({ numbers }) => `sort numbers|${[...numbers].sort((a, b) => a - b).join(',')}`,
  prompt: ({ direction, numbers }) => `${direction} ${numbers.join(' ')}>`,
  question: ({ direction, numbers }) =>
    `Sort these numbers in ${direction === 'up' ? 'ascending' : 'descending'} order: ${numbers.join(', ')}.`,
  separator: ' ',
  oracle: (item) => sorted(item).join(' '),
  reply: (item) => sorted(item).join(', '),
  verify: (item, answer) => judgeNumbers(answer, sorted(item).map(Number)),
  mutants: (item, _knobs, rng) => {
    const right = sorted(item);
    const given = item.numbers.join(' ');
    return {
      ...listMisses(right, ' ', rng),
      ...(given !== right.join(' ') && { 'left as given': given }),
      semicolons: right.join(';'),
    };
  },
  /** A random order of them. */
  chance: ({ numbers }) => (numbers === 3 ? 0.2 : 0.06),
  longest: ({ numbers, max }) => ({
    prompt: 5 + numbers * (String(max).length + 2),
    answer: numbers * (String(max).length + 2),
    question: 80 + numbers * (String(max).length + 3),
  }),
});
