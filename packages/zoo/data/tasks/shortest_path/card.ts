import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const shortestPathCard = taskCard({
  name: 'shortest_path',
  does: 'Find a shortest way through a grid.',
  example: ['S.#/..G>', 'DRR'],
  version: 1,
  category: 'graphs',
  tier: 1,
  knobs: {
    size: integer({ min: 3, max: 8, example: 3 }).default(3).describe('Rows and columns, at most.'),
    walls: integer({ min: 0, max: 40, example: 20 }).default(20).describe('Percentage of the cells that are walls.'),
  },
  levels: [{ walls: 10 }, {}, { size: 5, walls: 30 }, { size: 8, walls: 35 }],
  attributes: { size: [3, 5, 8], walls: [10, 20, 30, 40] },
});

export type ShortestPathKnobs = KnobsOf<typeof shortestPathCard>;
