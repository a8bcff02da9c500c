import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const nQueensCard = taskCard({
  name: 'n_queens',
  does: 'Complete a board of queens that do not attack each other.',
  example: [
    '....Q.../......../......../...Q..../.Q....../......../..Q...../........>',
    '....Q.../Q......./.......Q/...Q..../.Q....../......Q./..Q...../.....Q..',
  ],
  version: 1,
  category: 'puzzles',
  tier: 2,
  knobs: {
    size: integer({ min: 6, max: 9, example: 8 }).default(8).describe('Rows and columns of the board.'),
    missing: integer({ min: 1, max: 8, example: 4 }).default(4).describe('Queens that are not placed yet, at most.'),
  },
  checkKnobs: ({ size, missing }) =>
    missing < size ? [] : [{ key: 'missing', rule: `must be below size (${size}); a queen is given at least` }],
  levels: [{ size: 7, missing: 2 }, {}, { missing: 6 }, { size: 9, missing: 8 }],
  attributes: { size: [6, 7, 8, 9], missing: [1, 2, 4, 7] },
});

export type NQueensKnobs = KnobsOf<typeof nQueensCard>;
