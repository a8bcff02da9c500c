import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const binaryMatrixCard = taskCard({
  name: 'binary_matrix',
  does: 'Say of each cell how far the nearest 0 is.',
  example: ['near 011/111>', '012/123'],
  version: 1,
  category: 'grids',
  tier: 2,
  knobs: {
    size: integer({ min: 2, max: 10, example: 3 }).default(3).describe('Rows and columns, at most.'),
  },
  levels: [{}, { size: 4 }, { size: 6 }, { size: 10 }],
  attributes: { size: [3, 4, 6, 10] },
});

export type BinaryMatrixKnobs = KnobsOf<typeof binaryMatrixCard>;
