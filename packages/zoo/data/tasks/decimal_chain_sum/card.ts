/** What decimal_chain_sum is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  terms: integer({ min: 2, max: 6, example: 2 }).default(2).describe('How many numbers.'),
  digits: integer({ min: 1, max: 4, example: 1 }).default(1).describe('Digits before the point, at most.'),
  places: integer({ min: 1, max: 4, example: 1 }).default(1).describe('Digits after it, at most.'),
});

export type DecimalChainSumKnobs = Values<typeof KNOBS>;

export const decimalChainSumCard = {
  name: 'decimal_chain_sum',
  does: 'Add and subtract decimal numbers.',
  example: ['1.25+0.5>', '1.75'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: KNOBS,
  levels: [{}, { places: 2 }, { terms: 3, digits: 2, places: 2 }, { terms: 4, digits: 3, places: 4 }],
  attributes: { terms: [2, 3, 4, 6], digits: [1, 2, 4], places: [1, 2, 4] },
} satisfies TaskCard<DecimalChainSumKnobs>;
