import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const gameOfLifeCard = taskCard({
  name: 'game_of_life',
  does: 'Play the game of life on a torus.',
  example: ['life 1 010/010/010>', '111/111/111'],
  version: 1,
  category: 'grids',
  tier: 2,
  knobs: {
    size: integer({ min: 3, max: 8, example: 4 }).default(4).describe('Rows and columns, at most.'),
    steps: integer({ min: 1, max: 5, example: 1 }).default(1).describe('Steps, at most.'),
  },
  levels: [{}, { size: 5 }, { size: 6, steps: 2 }, { size: 8, steps: 5 }],
  attributes: { size: [4, 5, 6, 8], steps: [1, 2, 5] },
});

export type GameOfLifeKnobs = KnobsOf<typeof gameOfLifeCard>;
