import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const chainSumCard = taskCard({
  name: 'chain_sum',
  does: 'Add and subtract a few numbers.',
  example: ['12+7-3>', '16'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    terms: integer({ min: 2, max: 6, example: 2 }).default(2).describe('How many numbers.'),
    digits: integer({ min: 1, max: 4, example: 2 }).default(2).describe('Digits of the largest number.'),
  },
  levels: [{ terms: 3, digits: 1 }, {}, { terms: 3 }, { terms: 4, digits: 3 }],
  attributes: { terms: [2, 3, 4, 6], digits: [1, 2, 3, 4] },
});

export type ChainSumKnobs = KnobsOf<typeof chainSumCard>;
