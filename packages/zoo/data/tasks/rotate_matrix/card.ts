/** What rotate_matrix is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  size: integer({ min: 2, max: 10, example: 3 }).default(3).describe('Rows and columns, at most.'),
  turns: integer({ min: 1, max: 10, example: 3 }).default(3).describe('Quarter turns, at most.'),
});

export type RotateMatrixKnobs = Values<typeof KNOBS>;

export const rotateMatrixCard = {
  name: 'rotate_matrix',
  does: 'Rotate a grid by quarter turns, clockwise.',
  example: ['rot 1 12/34>', '31/42'],
  version: 1,
  category: 'grids',
  tier: 1,
  knobs: KNOBS,
  levels: [{ size: 2, turns: 1 }, {}, { size: 5 }, { size: 10, turns: 10 }],
  attributes: { size: [2, 3, 5, 10], turns: [1, 3, 10] },
} satisfies TaskCard<RotateMatrixKnobs>;
