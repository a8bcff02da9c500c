import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const rottenOrangesCard = taskCard({
  name: 'rotten_oranges',
  does: 'Count the minutes until all oranges are rotten.',
  example: ['rot 210/111>', '3'],
  version: 3,
  category: 'grids',
  tier: 2,
  knobs: {
    size: integer({ min: 3, max: 12, example: 4 }).default(4).describe('Rows and columns, at most.'),
  },
  levels: [{}, { size: 5 }, { size: 8 }, { size: 12 }],
  attributes: { size: [4, 5, 8, 12] },
});

export type RottenOrangesKnobs = KnobsOf<typeof rottenOrangesCard>;
