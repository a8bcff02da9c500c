import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const needleHaystackCard = taskCard({
  name: 'needle_haystack',
  does: 'Find the digit that belongs to a letter.',
  example: ['a3 k9 b1 ?k>', '9'],
  version: 1,
  category: 'strings',
  tier: 1,
  knobs: {
    facts: integer({ min: 3, max: 100, example: 5 }).default(5).describe('How many facts, at most.'),
    absent: integer({ min: 0, max: 40, example: 20 })
      .default(20)
      .describe('Percentage of the questions that ask for what is not there.'),
  },
  levels: [{ facts: 3 }, {}, { facts: 16 }, { facts: 60 }],
  attributes: { facts: [3, 5, 16, 60, 100] },
});

export type NeedleHaystackKnobs = KnobsOf<typeof needleHaystackCard>;
