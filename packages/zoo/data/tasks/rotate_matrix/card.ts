import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const rotateMatrixCard = taskCard({
  name: 'rotate_matrix',
  does: 'Rotate a grid by quarter turns, clockwise.',
  example: ['rot 1 12/34>', '31/42'],
  version: 1,
  category: 'grids',
  tier: 1,
  knobs: {
    size: integer({ min: 2, max: 10, example: 3 }).default(3).describe('Rows and columns, at most.'),
    turns: integer({ min: 1, max: 10, example: 3 }).default(3).describe('Quarter turns, at most.'),
  },
  levels: [{ size: 2, turns: 1 }, {}, { size: 5 }, { size: 10, turns: 10 }],
  attributes: { size: [2, 3, 5, 10], turns: [1, 3, 10] },
});

export type RotateMatrixKnobs = KnobsOf<typeof rotateMatrixCard>;
