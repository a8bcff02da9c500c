/** What word_sequence_reversal is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  words: integer({ min: 3, max: 10, example: 4 }).default(4).describe('How many words.'),
  length: integer({ min: 2, max: 8, example: 3 }).default(3).describe('Letters of the longest word.'),
});

export type WordSequenceReversalKnobs = Values<typeof KNOBS>;

export const wordSequenceReversalCard = {
  name: 'word_sequence_reversal',
  does: 'Say words in the opposite order.',
  example: ['back dog cat>', 'cat dog'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: KNOBS,
  levels: [{ words: 3 }, {}, { words: 6 }, { words: 10, length: 8 }],
  attributes: { words: [3, 4, 6, 10], length: [3, 8] },
} satisfies TaskCard<WordSequenceReversalKnobs>;
