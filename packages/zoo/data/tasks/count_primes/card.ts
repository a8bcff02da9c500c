import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const countPrimesCard = taskCard({
  name: 'count_primes',
  does: 'Count the primes from one number to another.',
  example: ['primes 10 30>', '6'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    max: integer({ min: 60, max: 10000, example: 100 }).default(100).describe('Largest number.'),
  },
  levels: [{ max: 60 }, {}, { max: 300 }, { max: 10000 }],
  attributes: { max: [60, 100, 300, 10000] },
});

export type CountPrimesKnobs = KnobsOf<typeof countPrimesCard>;
