import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const minesweeperCard = taskCard({
  name: 'minesweeper',
  does: 'Open every field without a mine, a field a turn; no guess is needed.',
  example: ['3 01##/12##/####/####>', '20'],
  version: 2,
  category: 'environments',
  tier: 2,
  knobs: {
    size: integer({ min: 3, max: 6, example: 4 }).default(4).describe('Rows and columns.'),
    mines: integer({ min: 1, max: 8, example: 3 }).default(3).describe('Mines.'),
  },
  checkKnobs: ({ size, mines }) =>
    2 * mines <= size * size
      ? []
      : [{ key: 'mines', rule: `at most ${Math.floor((size * size) / 2)}, half of the fields` }],
  levels: [{ size: 3, mines: 2 }, {}, { size: 5, mines: 4 }, { size: 6, mines: 6 }],
  attributes: { size: [3, 4, 5], mines: [2, 3, 5] },
});

export type MinesweeperKnobs = KnobsOf<typeof minesweeperCard>;
