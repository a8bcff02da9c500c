/** What round_trip is and which knobs it has. */
import type { ListedCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';
import type { BrokenRule } from '../../../../../src/options/read.ts';

const KNOBS = options({
  length: integer({ min: 1, max: 12, example: 3 }).default(3).describe('Letters of the text.'),
  letters: integer({ min: 2, max: 6, example: 3 }).default(3).describe('Letters that the code knows.'),
  words: integer({ min: 2, max: 12, example: 5 }).default(4).describe('Words of the code: a letter may have several.'),
});

export type RoundTripKnobs = Values<typeof KNOBS>;

function checkKnobs({ letters, words }: RoundTripKnobs): BrokenRule[] {
  return words < letters ? [{ key: 'words', rule: `must be letters (${letters}) or more; raise it` }] : [];
}

export const roundTripCard = {
  name: 'round_trip',
  does: 'Write a text in a made-up code so that decoding gives it back.',
  example: ['code 0a 10b 11c|cab>', '11010'],
  version: 1,
  category: 'strings',
  tier: 1,
  knobs: KNOBS,
  checkKnobs,
  levels: [
    { length: 2, letters: 2, words: 2 },
    {},
    { length: 5, letters: 4, words: 6 },
    { length: 8, letters: 5, words: 10 },
  ],
  attributes: { length: [2, 4, 8, 12], letters: [2, 3, 4], words: [3, 6, 12] },
} satisfies ListedCard<RoundTripKnobs>;
