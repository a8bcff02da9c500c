/**
 * The problems of `mini_sudoku`, answered by a search: digits are tried in the first open cell, and where one fits, in
 * the next. One that its row, column or block has already is dead.
 *
 *   prompt  4 _ 1 3 1 3 4 2 2 1 3 4 3 4 2 _ ?      completion  a2 1 n , a2 2 ( d4 1 y , 2 1
 */
import { correct, trimAscii, wrongValue } from '../../kit.ts';
import { HOLE } from '../../puzzle.ts';
import { searchTask } from '../../search_task.ts';
import { type MiniSudokuItem, miniSudoku } from '../mini_sudoku/mini_sudoku.ts';
import { type SudokuSearchKnobs, sudokuSearchCard } from './card.ts';

const DIGITS = ['1', '2', '3', '4'];
const CELLS = ['a', 'b', 'c', 'd'].flatMap((row) => DIGITS.map((column) => row + column));

/** Sixteen cells, and the one that was filled last. */
type State = { readonly cells: string; readonly last?: number };

function isPeer(one: number, other: number): boolean {
  const [y, x, v, u] = [one >> 2, one & 3, other >> 2, other & 3];
  return one !== other && (y === v || x === u || (y >> 1 === v >> 1 && x >> 1 === u >> 1));
}

const isDead = ({ cells, last = -1 }: State): boolean =>
  cells.split('').some((digit, place) => digit === cells[last] && isPeer(place, last));

/** The digits of the open cells, in order. */
function filled(item: MiniSudokuItem): string {
  const solution = miniSudoku.oracle(item, { holes: 0 });
  const given = item.rows.join('');
  return solution
    .split('')
    .filter((_, place) => given[place] === HOLE)
    .join(' ');
}

export const sudokuSearch = searchTask<MiniSudokuItem, SudokuSearchKnobs, State>(sudokuSearchCard, {
  family: miniSudoku.family,
  words: [...DIGITS, HOLE, ...CELLS],
  generate: (rng, { holes }) => miniSudoku.generate(rng, { holes }),
  key: miniSudoku.key,
  splitKey: (item) => miniSudoku.splitKey?.(item) ?? miniSudoku.key(item),
  prompt: ({ rows }) => `${rows.join('').split('').join(' ')} ?`,
  space: ({ rows }) => ({
    start: { cells: rows.join('') },
    expand({ cells }) {
      const place = cells.indexOf(HOLE);
      const to = (digit: string): State => ({ cells: cells.replace(HOLE, digit), last: place });
      return DIGITS.map((digit) => ({ text: `${CELLS[place]} ${digit}`, to: to(digit) }));
    },
    isSolved: (state) => !state.cells.includes(HOLE) && !isDead(state),
    isDead,
  }),
  found: (_, path) => path.map(({ text }) => text.slice(-1)).join(' '),
  verify(item, found) {
    const text = trimAscii(found);
    return text === filled(item) ? correct('it keeps every rule', text) : wrongValue('not the missing digits');
  },
  misses(item) {
    const right = filled(item);
    return {
      'one digit changed': right.replace(/[1-4]$/, (digit) => DIGITS[Number(digit) % 4] as string),
      'digit dropped': right.slice(2),
      'digit appended': `${right} 1`,
      'without spaces, and one more': `${right.replaceAll(' ', '')}1`,
      'with commas': `${right.replaceAll(' ', ' , ')} ,`,
      'given twice': `${right} ${right}`,
    };
  },
  /** One of the solved grids, of which few have the same digits in the open cells. */
  chance: ({ holes }) => Math.min(1, 4 / 4 ** Math.ceil(holes / 2)),
  longestPrompt: () => CELLS.length + 1,
});
