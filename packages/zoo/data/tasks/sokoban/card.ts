/** What sokoban is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  size: integer({ min: 3, max: 6, example: 4 }).default(4).describe('Rows and columns.'),
  boxes: integer({ min: 1, max: 2, example: 1 }).default(1).describe('Boxes, and places that they belong on.'),
  walls: integer({ min: 0, max: 30, example: 10 }).default(10).describe('Percent of the fields that are walls.'),
  turns: integer({ min: 4, max: 40, example: 12 }).default(12).describe('Moves; enough for the shortest way.'),
});

export type SokobanKnobs = Values<typeof KNOBS>;

export const sokobanCard = {
  name: 'sokoban',
  names: ['RAGEN', 'StarPO'],
  does: 'Push boxes onto their places, a move a turn; a box can be pushed, and never pulled.',
  example: ['..../.pb./..../..o.>', 'U'],
  version: 1,
  category: 'environments',
  tier: 2,
  knobs: KNOBS,
  levels: [{ size: 3, walls: 0, turns: 8 }, {}, { size: 5, turns: 16 }, { size: 5, boxes: 2, turns: 24 }],
  attributes: { size: [3, 4, 5], boxes: [1, 2], walls: [0, 10, 20] },
} satisfies TaskCard<SokobanKnobs>;
