import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const longestRunCard = taskCard({
  name: 'longest_run',
  names: ['temporal grounding', 'intervals'],
  does: 'Find the longest stretch of a series of digits that stays at a bound or above: its first and last place.',
  example: ['run 5 2719683>', '4-6'],
  version: 1,
  category: 'algorithmic',
  tier: 2,
  parts: ['object'],
  knobs: {
    length: integer({ min: 4, max: 9, example: 7 }).default(7).describe('Digits of a series.'),
    objects: integer({ min: 1, max: 4, example: 2 })
      .default(1)
      .describe('Series, each of an object with a letter; of several, the answer begins with the letter, as in b 4-6.'),
  },
  levels: [{ length: 5 }, {}, { objects: 2 }, { length: 9, objects: 3 }],
  attributes: { length: [5, 7, 9], objects: [1, 2, 4] },
});

export type LongestRunKnobs = KnobsOf<typeof longestRunCard>;
