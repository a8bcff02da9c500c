import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const largestIslandCard = taskCard({
  name: 'largest_island',
  does: 'Count the cells of the largest island.',
  example: ['isle 110/011>', '4'],
  version: 1,
  category: 'grids',
  tier: 2,
  knobs: {
    size: integer({ min: 3, max: 12, example: 4 }).default(4).describe('Rows and columns, at most.'),
  },
  levels: [{}, { size: 5 }, { size: 8 }, { size: 12 }],
  attributes: { size: [4, 5, 8, 12] },
});

export type LargestIslandKnobs = KnobsOf<typeof largestIslandCard>;
