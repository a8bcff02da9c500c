import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const decimalChainSumCard = taskCard({
  name: 'decimal_chain_sum',
  does: 'Add and subtract decimal numbers.',
  example: ['1.25+0.5>', '1.75'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    terms: integer({ min: 2, max: 6, example: 2 }).default(2).describe('How many numbers.'),
    digits: integer({ min: 1, max: 4, example: 1 }).default(1).describe('Digits before the point, at most.'),
    places: integer({ min: 1, max: 4, example: 1 }).default(1).describe('Digits after it, at most.'),
  },
  levels: [{}, { places: 2 }, { terms: 3, digits: 2, places: 2 }, { terms: 4, digits: 3, places: 4 }],
  attributes: { terms: [2, 3, 4, 6], digits: [1, 2, 4], places: [1, 2, 4] },
});

export type DecimalChainSumKnobs = KnobsOf<typeof decimalChainSumCard>;
