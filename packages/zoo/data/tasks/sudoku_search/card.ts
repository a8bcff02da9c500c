import { integer } from '../../../../../src/options/keys.ts';
import { searchKnobs } from '../../search_task.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const sudokuSearchCard = taskCard({
  name: 'sudoku_search',
  does: 'Fill in a sudoku of four rows by trying digits, cell by cell.',
  example: ['4 _ 1 3 1 3 4 2 2 1 3 4 3 4 2 _ ?', 'a2 1 n , a2 2 ( d4 1 y , 2 1'],
  version: 2,
  category: 'puzzles',
  tier: 2,
  knobs: {
    holes: integer({ min: 1, max: 12, example: 6 }).default(6).describe('Open cells, at most; half of them at least.'),
    ...searchKnobs(160),
  },
  checkKnobs({ holes, max_tokens }) {
    const least = 4 * holes + 2; // cell, digit, bracket or mark, and the digit again for each, a comma, EOS
    return max_tokens >= least ? [] : [{ key: 'max_tokens', rule: `must be ${least} or more here; raise it` }];
  },
  levels: [{ holes: 3 }, {}, { holes: 9, max_tokens: 256 }, { holes: 12, max_tokens: 512 }],
});

export type SudokuSearchKnobs = KnobsOf<typeof sudokuSearchCard>;
