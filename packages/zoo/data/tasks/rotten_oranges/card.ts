/** What rotten_oranges is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  size: integer({ min: 3, max: 12, example: 4 }).default(4).describe('Rows and columns, at most.'),
});

export type RottenOrangesKnobs = Values<typeof KNOBS>;

export const rottenOrangesCard = {
  name: 'rotten_oranges',
  does: 'Count the minutes until all oranges are rotten.',
  example: ['rot 210/111>', '3'],
  version: 3,
  category: 'grids',
  tier: 2,
  knobs: KNOBS,
  levels: [{}, { size: 5 }, { size: 8 }, { size: 12 }],
  attributes: { size: [4, 5, 8, 12] },
} satisfies TaskCard<RottenOrangesKnobs>;
