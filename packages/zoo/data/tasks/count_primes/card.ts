/** What count_primes is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  max: integer({ min: 60, max: 10000, example: 100 }).default(100).describe('Largest number.'),
});

export type CountPrimesKnobs = Values<typeof KNOBS>;

export const countPrimesCard = {
  name: 'count_primes',
  does: 'Count the primes from one number to another.',
  example: ['primes 10 30>', '6'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: KNOBS,
  levels: [{ max: 60 }, {}, { max: 300 }, { max: 10000 }],
  attributes: { max: [60, 100, 300, 10000] },
} satisfies TaskCard<CountPrimesKnobs>;
