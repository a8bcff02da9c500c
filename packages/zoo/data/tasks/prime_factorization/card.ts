import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const primeFactorizationCard = taskCard({
  name: 'prime_factorization',
  does: 'Factor a number into primes.',
  example: ['fac 12>', '2 2 3'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    max: integer({ min: 200, max: 999999, example: 500 }).default(500).describe('Largest number.'),
  },
  levels: [{ max: 200 }, {}, { max: 9999 }, { max: 999999 }],
  attributes: { max: [200, 500, 9999, 999999] },
});

export type PrimeFactorizationKnobs = KnobsOf<typeof primeFactorizationCard>;
