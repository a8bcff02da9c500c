import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const manipulateMatrixCard = taskCard({
  name: 'manipulate_matrix',
  does: 'Rotate, mirror, crop and change a grid by a list of operations.',
  example: ['mat r m35: 12/34>', '51/42'],
  version: 1,
  category: 'grids',
  tier: 2,
  knobs: {
    size: integer({ min: 2, max: 9, example: 3 }).default(3).describe('Rows and columns, at most.'),
    operations: integer({ min: 1, max: 10, example: 2 }).default(2).describe('Operations, at most.'),
  },
  levels: [{ size: 2, operations: 1 }, {}, { size: 4, operations: 4 }, { size: 8, operations: 8 }],
  attributes: { size: [2, 3, 5, 9], operations: [1, 2, 4, 10] },
});

export type ManipulateMatrixKnobs = KnobsOf<typeof manipulateMatrixCard>;
