import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const mazeCard = taskCard({
  name: 'maze',
  does: 'Count the steps of a shortest way through a maze.',
  example: ['maze S..../.###./.#.../.#.##/.#..G>', '12'],
  version: 1,
  category: 'graphs',
  tier: 2,
  knobs: {
    rooms: integer({ min: 3, max: 6, example: 4 }).default(4).describe('Rooms on each side, at most.'),
    doors: integer({ min: 0, max: 60, example: 10 })
      .default(10)
      .describe(
        'Percentage of the walls between rooms that need no door which have one: 0 leaves one way from each to each.',
      ),
  },
  levels: [{ rooms: 3 }, {}, { rooms: 5, doors: 20 }, { rooms: 6, doors: 30 }],
  attributes: { rooms: [3, 4, 5, 6], doors: [0, 10, 30, 60] },
});

export type MazeKnobs = KnobsOf<typeof mazeCard>;
