/** What largest_island is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  size: integer({ min: 3, max: 12, example: 4 }).default(4).describe('Rows and columns, at most.'),
});

export type LargestIslandKnobs = Values<typeof KNOBS>;

export const largestIslandCard = {
  name: 'largest_island',
  does: 'Count the cells of the largest island.',
  example: ['isle 110/011>', '4'],
  version: 1,
  category: 'grids',
  tier: 2,
  knobs: KNOBS,
  levels: [{}, { size: 5 }, { size: 8 }, { size: 12 }],
  attributes: { size: [4, 5, 8, 12] },
} satisfies TaskCard<LargestIslandKnobs>;
