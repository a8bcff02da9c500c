import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const fractionSimplificationCard = taskCard({
  name: 'fraction_simplification',
  does: 'Write a fraction in lowest terms.',
  example: ['6/8>', '3/4'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    max: integer({ min: 9, max: 1000, example: 20 }).default(20).describe('Largest number of the simple fraction.'),
    factor: integer({ min: 2, max: 100, example: 9 }).default(9).describe('Largest factor of both its numbers.'),
  },
  levels: [{ max: 12, factor: 4 }, {}, { max: 99, factor: 20 }, { max: 1000, factor: 100 }],
  attributes: { max: [12, 20, 99, 1000], factor: [4, 9, 20, 100] },
});

export type FractionSimplificationKnobs = KnobsOf<typeof fractionSimplificationCard>;
