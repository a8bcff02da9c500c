/** What frozen_lake is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  size: integer({ min: 3, max: 8, example: 4 }).default(4).describe('Rows and columns of the lake.'),
  holes: integer({ min: 0, max: 40, example: 25 }).default(25).describe('Percent of the fields that are holes.'),
  slip: integer({ min: 0, max: 66, example: 0 })
    .default(0)
    .describe('Percent of the moves that go to the left or the right of where they were meant to go.'),
});

export type FrozenLakeKnobs = Values<typeof KNOBS>;

export const frozenLakeCard = {
  name: 'frozen_lake',
  names: ['RAGEN', 'StarPO'],
  does: 'Walk over a frozen lake to the goal, a move a turn, without falling into a hole.',
  example: ['S..#/..../.#.#/...G>', 'D'],
  version: 1,
  category: 'environments',
  tier: 2,
  knobs: KNOBS,
  levels: [{ size: 3 }, {}, { size: 5 }, { size: 6, slip: 10 }],
  attributes: { size: [3, 4, 5, 6], slip: [0, 10, 33] },
} satisfies TaskCard<FrozenLakeKnobs>;
