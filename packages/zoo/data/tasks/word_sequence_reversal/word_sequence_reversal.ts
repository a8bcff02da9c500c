/** Made-up words in the opposite order, each as it is. */
import { judgeList } from '../../judging/judge.ts';
import { drawWords, LETTERS, lineTask, listMisses } from '../../kit.ts';
import { type WordSequenceReversalKnobs, wordSequenceReversalCard } from './card.ts';

export type WordSequenceReversalItem = { readonly words: readonly string[] };

const reversed = ({ words }: WordSequenceReversalItem): string[] => [...words].reverse();

export const wordSequenceReversal = lineTask<WordSequenceReversalItem, WordSequenceReversalKnobs>(
  wordSequenceReversalCard,
  {
    family: 'word_sequence_reversal',
    characters: `${LETTERS} >`,
    generate(rng, { words: most, length }) {
      const words = drawWords(rng, rng.int(3, most), length);
      return words && { words };
    },
    key: ({ words }) => `back|${words.join(' ')}`,
    prompt: ({ words }) => `back ${words.join(' ')}>`,
    question: ({ words }) => `Give these words in the opposite order: ${words.join(', ')}.`,
    separator: ' ',
    oracle: (item) => reversed(item).join(' '),
    verify: (item, answer) => judgeList(answer, reversed(item)),
    mutants: (item, _knobs, rng) => ({
      ...listMisses(reversed(item), ' ', rng),
      joined: reversed(item).join(''),
      'letters reversed, too': item.words.join(' ').split('').reverse().join('').replace(/^/, 'x'),
    }),
    chance: () => 1 / 256,
    longest: ({ words, length }) => ({
      prompt: 6 + words * (length + 1),
      answer: words * (length + 1),
      question: 50 + words * (length + 2),
    }),
  },
);
