import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const frozenLakeCard = taskCard({
  name: 'frozen_lake',
  names: ['RAGEN', 'StarPO'],
  does: 'Walk over a frozen lake to the goal, a move a turn, without falling into a hole.',
  example: ['S..#/..../.#.#/...G>', 'D'],
  version: 1,
  category: 'environments',
  tier: 2,
  knobs: {
    size: integer({ min: 3, max: 8, example: 4 }).default(4).describe('Rows and columns of the lake.'),
    holes: integer({ min: 0, max: 40, example: 25 }).default(25).describe('Percent of the fields that are holes.'),
    slip: integer({ min: 0, max: 66, example: 0 })
      .default(0)
      .describe('Percent of the moves that go to the left or the right of where they were meant to go.'),
  },
  levels: [{ size: 3 }, {}, { size: 5 }, { size: 6, slip: 10 }],
  attributes: { size: [3, 4, 5, 6], slip: [0, 10, 33] },
});

export type FrozenLakeKnobs = KnobsOf<typeof frozenLakeCard>;
