import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const miniSudokuCard = taskCard({
  name: 'mini_sudoku',
  does: 'Fill in a sudoku of four rows.',
  example: ['4___/_3__/_13_/____>', '4213134221343421'],
  version: 1,
  category: 'puzzles',
  tier: 1,
  knobs: {
    holes: integer({ min: 1, max: 12, example: 6 }).default(6).describe('Open cells, at most; half of them at least.'),
  },
  levels: [{ holes: 3 }, {}, { holes: 9 }, { holes: 12 }],
  attributes: { holes: [1, 3, 6, 9, 12] },
});

export type MiniSudokuKnobs = KnobsOf<typeof miniSudokuCard>;
