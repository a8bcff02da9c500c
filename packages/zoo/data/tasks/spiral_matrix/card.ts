import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const spiralMatrixCard = taskCard({
  name: 'spiral_matrix',
  does: 'Read a grid in a spiral, clockwise from its first cell: as digits, so that zeros in front count.',
  example: ['spiral 123/456>', '123654'],
  version: 1,
  category: 'grids',
  tier: 2,
  knobs: {
    size: integer({ min: 2, max: 10, example: 3 }).default(3).describe('Rows and columns, at most.'),
  },
  levels: [{}, { size: 4 }, { size: 6 }, { size: 10 }],
  attributes: { size: [3, 4, 6, 10] },
});

export type SpiralMatrixKnobs = KnobsOf<typeof spiralMatrixCard>;
