import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const productsCard = taskCard({
  name: 'products',
  does: 'Multiply two numbers.',
  example: ['4*7>', '28'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: {
    max: integer({ min: 12, max: 99999, example: 99 }).default(99).describe('Factors are drawn from 2 to this one.'),
  },
  levels: [{ max: 20 }, {}, { max: 999 }, { max: 99999 }],
  attributes: { max: [20, 99, 999, 9999, 99999] },
});

export type ProductsKnobs = KnobsOf<typeof productsCard>;
