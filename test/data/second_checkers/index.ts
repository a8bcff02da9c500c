/** The second checker of each task that `checkTask` is run on, by category. */
import { ARITHMETIC } from './arithmetic.ts';
import { DEDUCTION } from './deduction.ts';
import { GRAPHS } from './graphs.ts';
import { GRIDS } from './grids.ts';
import { LOGIC } from './logic.ts';
import { PUZZLES } from './puzzles.ts';
import { STRINGS } from './strings.ts';

export const SECOND_CHECKERS = { ...ARITHMETIC, ...STRINGS, ...GRIDS, ...GRAPHS, ...PUZZLES, ...LOGIC, ...DEDUCTION };
