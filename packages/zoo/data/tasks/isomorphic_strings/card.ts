import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const isomorphicStringsCard = taskCard({
  name: 'isomorphic_strings',
  does: 'Say whether letters of one word stand for those of the other.',
  example: ['iso abb xyy>', 'yes'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    length: integer({ min: 4, max: 16, example: 5 }).default(5).describe('Letters of the longest word.'),
    alphabet: integer({ min: 4, max: 26, example: 8 })
      .default(8)
      .describe('Words are made of this many of the first letters.'),
  },
  levels: [{ length: 4 }, {}, { length: 8, alphabet: 12 }, { length: 16, alphabet: 26 }],
  attributes: { length: [4, 5, 8, 16], alphabet: [4, 8, 12, 26] },
});

export type IsomorphicStringsKnobs = KnobsOf<typeof isomorphicStringsCard>;
