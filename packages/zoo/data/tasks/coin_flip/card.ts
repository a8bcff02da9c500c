import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const coinFlipCard = taskCard({
  name: 'coin_flip',
  does: 'Give the probability of exactly or at least a number of heads.',
  example: ['heads 2 of 5>', '5/16'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    flips: integer({ min: 5, max: 15, example: 8 }).default(8).describe('Flips, at most.'),
    bias: integer({ min: 3, max: 8, example: 4 })
      .default(4)
      .describe('Largest denominator of the probability of heads: 4 has 1/2, 1/3, 2/3, 1/4 and 3/4.'),
  },
  levels: [{ flips: 6 }, {}, { flips: 10, bias: 6 }, { flips: 15, bias: 8 }],
  attributes: { flips: [6, 8, 10, 15], bias: [3, 4, 6, 8] },
});

export type CoinFlipKnobs = KnobsOf<typeof coinFlipCard>;
