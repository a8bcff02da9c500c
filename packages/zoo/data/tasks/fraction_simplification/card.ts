/** What fraction_simplification is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  max: integer({ min: 9, max: 1000, example: 20 }).default(20).describe('Largest number of the simple fraction.'),
  factor: integer({ min: 2, max: 100, example: 9 }).default(9).describe('Largest factor of both its numbers.'),
});

export type FractionSimplificationKnobs = Values<typeof KNOBS>;

export const fractionSimplificationCard = {
  name: 'fraction_simplification',
  does: 'Write a fraction in lowest terms.',
  example: ['6/8>', '3/4'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: KNOBS,
  levels: [{ max: 12, factor: 4 }, {}, { max: 99, factor: 20 }, { max: 1000, factor: 100 }],
  attributes: { max: [12, 20, 99, 1000], factor: [4, 9, 20, 100] },
} satisfies TaskCard<FractionSimplificationKnobs>;
