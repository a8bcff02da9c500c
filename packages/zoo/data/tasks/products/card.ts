/** What products is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  max: integer({ min: 12, max: 99999, example: 99 }).default(99).describe('Factors are drawn from 2 to this one.'),
});

export type ProductsKnobs = Values<typeof KNOBS>;

export const productsCard = {
  name: 'products',
  does: 'Multiply two numbers.',
  example: ['4*7>', '28'],
  version: 1,
  category: 'arithmetic',
  tier: 1,
  knobs: KNOBS,
  levels: [{ max: 20 }, {}, { max: 999 }, { max: 99999 }],
  attributes: { max: [20, 99, 999, 9999, 99999] },
} satisfies TaskCard<ProductsKnobs>;
