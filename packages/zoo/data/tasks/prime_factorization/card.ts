/** What prime_factorization is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  max: integer({ min: 200, max: 999999, example: 500 }).default(500).describe('Largest number.'),
});

export type PrimeFactorizationKnobs = Values<typeof KNOBS>;

export const primeFactorizationCard = {
  name: 'prime_factorization',
  does: 'Factor a number into primes.',
  example: ['fac 12>', '2 2 3'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: KNOBS,
  levels: [{ max: 200 }, {}, { max: 9999 }, { max: 999999 }],
  attributes: { max: [200, 500, 9999, 999999] },
} satisfies TaskCard<PrimeFactorizationKnobs>;
