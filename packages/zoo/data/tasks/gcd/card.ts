import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const gcdCard = taskCard({
  name: 'gcd',
  does: 'Find the greatest common divisor.',
  example: ['gcd 12 18>', '6'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    max: integer({ min: 8, max: 9999, example: 60 }).default(60).describe('Numbers are drawn from 1 to this one.'),
    numbers: integer({ min: 2, max: 4, example: 2 }).default(2).describe('How many numbers.'),
  },
  levels: [{ max: 30 }, {}, { max: 200 }, { max: 1000, numbers: 3 }],
  attributes: { max: [30, 60, 200, 1000], numbers: [2, 3, 4] },
});

export type GcdKnobs = KnobsOf<typeof gcdCard>;
