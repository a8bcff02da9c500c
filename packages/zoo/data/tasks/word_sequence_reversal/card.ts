import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const wordSequenceReversalCard = taskCard({
  name: 'word_sequence_reversal',
  does: 'Say words in the opposite order.',
  example: ['back dog cat>', 'cat dog'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    words: integer({ min: 3, max: 10, example: 4 }).default(4).describe('How many words.'),
    length: integer({ min: 2, max: 8, example: 3 }).default(3).describe('Letters of the longest word.'),
  },
  levels: [{ words: 3 }, {}, { words: 6 }, { words: 10, length: 8 }],
  attributes: { words: [3, 4, 6, 10], length: [3, 8] },
});

export type WordSequenceReversalKnobs = KnobsOf<typeof wordSequenceReversalCard>;
