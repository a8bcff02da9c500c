import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const sokobanCard = taskCard({
  name: 'sokoban',
  names: ['RAGEN', 'StarPO'],
  does: 'Push boxes onto their places, a move a turn; a box can be pushed, and never pulled.',
  example: ['..../.pb./..../..o.>', 'U'],
  version: 1,
  category: 'environments',
  tier: 2,
  knobs: {
    size: integer({ min: 3, max: 6, example: 4 }).default(4).describe('Rows and columns.'),
    boxes: integer({ min: 1, max: 2, example: 1 }).default(1).describe('Boxes, and places that they belong on.'),
    walls: integer({ min: 0, max: 30, example: 10 }).default(10).describe('Percent of the fields that are walls.'),
    turns: integer({ min: 4, max: 40, example: 12 }).default(12).describe('Moves; enough for the shortest way.'),
  },
  levels: [{ size: 3, walls: 0, turns: 8 }, {}, { size: 5, turns: 16 }, { size: 5, boxes: 2, turns: 24 }],
  attributes: { size: [3, 4, 5], boxes: [1, 2], walls: [0, 10, 20] },
});

export type SokobanKnobs = KnobsOf<typeof sokobanCard>;
