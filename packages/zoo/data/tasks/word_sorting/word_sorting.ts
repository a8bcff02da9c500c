/**
 * Made-up words in ascending (`up`) or descending (`down`) order of the alphabet; a word precedes those that it
 * begins.
 *
 *   split       by the sorted words: all orders of them, in both directions, are on one side
 */
import { judgeList } from '../../judging/judge.ts';
import { drawWords, inOrder, LETTERS, lineTask, listMisses } from '../../kit.ts';
import { type WordSortingKnobs, wordSortingCard } from './card.ts';

export type WordSortingItem = { readonly direction: 'up' | 'down'; readonly words: readonly string[] };

function sorted({ direction, words }: WordSortingItem): string[] {
  return direction === 'up' ? inOrder(words) : inOrder(words).reverse();
}

export const wordSorting = lineTask<WordSortingItem, WordSortingKnobs>(wordSortingCard, {
  characters: `${LETTERS} >`,
  generate(rng, { words: count, length }) {
    const words = drawWords(rng, count, length);
    return words && { direction: rng.pick(['up', 'down'] as const), words };
  },
  key: ({ direction, words }) => `sort words|${direction}|${words.join(' ')}`,
  splitKey: ({ words }) => `sort words|${inOrder(words).join(' ')}`,
  prompt: ({ direction, words }) => `${direction} ${words.join(' ')}>`,
  question: ({ direction, words }) =>
    `Sort these words in ${direction === 'up' ? 'alphabetical order' : 'reverse alphabetical order'}: ${words.join(', ')}.`,
  separator: ' ',
  oracle: (item) => sorted(item).join(' '),
  verify: (item, answer) => judgeList(answer, sorted(item)),
  mutants: (item, _knobs, rng) => {
    const right = sorted(item);
    const given = item.words.join(' ');
    return {
      ...listMisses(right, ' ', rng),
      ...(given !== right.join(' ') && { 'left as given': given }),
      'in capitals': right.join(' ').toUpperCase(),
      joined: right.join(''),
    };
  },
  /** A random order of them. */
  chance: ({ words }) => (words === 3 ? 0.2 : 0.06),
  longest: ({ words, length }) => ({
    prompt: 5 + words * (length + 1),
    answer: words * (length + 1),
    question: 70 + words * (length + 2),
  }),
});
