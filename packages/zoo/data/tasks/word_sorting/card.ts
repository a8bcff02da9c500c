/** What word_sorting is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  words: integer({ min: 3, max: 10, example: 4 }).default(4).describe('How many words.'),
  length: integer({ min: 2, max: 8, example: 4 }).default(4).describe('Letters of the longest word.'),
});

export type WordSortingKnobs = Values<typeof KNOBS>;

export const wordSortingCard = {
  name: 'word_sorting',
  does: 'Sort made-up words.',
  example: ['up dog cat>', 'cat dog'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: KNOBS,
  levels: [{ words: 3, length: 3 }, {}, { words: 6 }, { words: 10, length: 8 }],
  attributes: { words: [3, 4, 6, 10], length: [3, 4, 8] },
} satisfies TaskCard<WordSortingKnobs>;
