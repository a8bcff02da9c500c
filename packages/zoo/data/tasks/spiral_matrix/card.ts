/** What spiral_matrix is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  size: integer({ min: 2, max: 10, example: 3 }).default(3).describe('Rows and columns, at most.'),
});

export type SpiralMatrixKnobs = Values<typeof KNOBS>;

export const spiralMatrixCard = {
  name: 'spiral_matrix',
  does: 'Read a grid in a spiral, clockwise from its first cell: as digits, so that zeros in front count.',
  example: ['spiral 123/456>', '123654'],
  version: 1,
  category: 'grids',
  tier: 2,
  knobs: KNOBS,
  levels: [{}, { size: 4 }, { size: 6 }, { size: 10 }],
  attributes: { size: [3, 4, 6, 10] },
} satisfies TaskCard<SpiralMatrixKnobs>;
