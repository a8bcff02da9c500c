import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const lcmCard = taskCard({
  name: 'lcm',
  does: 'Find the least common multiple.',
  example: ['lcm 4 6>', '12'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    max: integer({ min: 10, max: 999, example: 30 }).default(30).describe('Numbers are drawn from 2 to this one.'),
    numbers: integer({ min: 2, max: 4, example: 2 }).default(2).describe('How many numbers.'),
  },
  levels: [{ max: 20 }, {}, { max: 100 }, { max: 100, numbers: 3 }],
  attributes: { max: [20, 30, 100, 999], numbers: [2, 3, 4] },
});

export type LcmKnobs = KnobsOf<typeof lcmCard>;
