/** What mini_sudoku is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  holes: integer({ min: 1, max: 12, example: 6 }).default(6).describe('Open cells, at most; half of them at least.'),
});

export type MiniSudokuKnobs = Values<typeof KNOBS>;

export const miniSudokuCard = {
  name: 'mini_sudoku',
  does: 'Fill in a sudoku of four rows.',
  example: ['4___/_3__/_13_/____>', '4213134221343421'],
  version: 1,
  category: 'puzzles',
  tier: 1,
  knobs: KNOBS,
  levels: [{ holes: 3 }, {}, { holes: 9 }, { holes: 12 }],
  attributes: { holes: [1, 3, 6, 9, 12] },
} satisfies TaskCard<MiniSudokuKnobs>;
