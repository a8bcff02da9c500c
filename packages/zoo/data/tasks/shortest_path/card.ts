/** What shortest_path is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  size: integer({ min: 3, max: 8, example: 3 }).default(3).describe('Rows and columns, at most.'),
  walls: integer({ min: 0, max: 40, example: 20 }).default(20).describe('Percentage of the cells that are walls.'),
});

export type ShortestPathKnobs = Values<typeof KNOBS>;

export const shortestPathCard = {
  name: 'shortest_path',
  does: 'Find a shortest way through a grid.',
  example: ['S.#/..G>', 'DRR'],
  version: 1,
  category: 'graphs',
  tier: 1,
  knobs: KNOBS,
  levels: [{ walls: 10 }, {}, { size: 5, walls: 30 }, { size: 8, walls: 35 }],
  attributes: { size: [3, 5, 8], walls: [10, 20, 30, 40] },
} satisfies TaskCard<ShortestPathKnobs>;
