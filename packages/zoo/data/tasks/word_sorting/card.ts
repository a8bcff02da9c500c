import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const wordSortingCard = taskCard({
  name: 'word_sorting',
  does: 'Sort made-up words.',
  example: ['up dog cat>', 'cat dog'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    words: integer({ min: 3, max: 10, example: 4 }).default(4).describe('How many words.'),
    length: integer({ min: 2, max: 8, example: 4 }).default(4).describe('Letters of the longest word.'),
  },
  levels: [{ words: 3, length: 3 }, {}, { words: 6 }, { words: 10, length: 8 }],
  attributes: { words: [3, 4, 6, 10], length: [3, 4, 8] },
});

export type WordSortingKnobs = KnobsOf<typeof wordSortingCard>;
