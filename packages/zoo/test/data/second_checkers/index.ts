/** The second checker of each task that `checkTask` is run on, by category. */
import { ALGEBRA } from './algebra.ts';
import { ARITHMETIC } from './arithmetic.ts';
import { DEDUCTION } from './deduction.ts';
import { GAMES } from './games.ts';
import { GRAPHS } from './graphs.ts';
import { GRIDS } from './grids.ts';
import { KNOWLEDGE } from './knowledge.ts';
import { LOGIC } from './logic.ts';
import { OF_TASKS } from './of_tasks.ts';
import { PLANS } from './plans.ts';
import { PROGRAMS } from './programs.ts';
import { PUZZLES } from './puzzles.ts';
import { RECORDS } from './records.ts';
import { SANDBOXED } from './sandboxed.ts';
import { SEARCHES } from './searches.ts';
import { STRINGS } from './strings.ts';
import { TEXT } from './text.ts';
import { TOOLS } from './tools.ts';

export const SECOND_CHECKERS = {
  ...ARITHMETIC,
  ...ALGEBRA,
  ...SEARCHES,
  ...STRINGS,
  ...GRIDS,
  ...GRAPHS,
  ...PUZZLES,
  ...LOGIC,
  ...DEDUCTION,
  ...PLANS,
  ...PROGRAMS,
  ...SANDBOXED,
  ...RECORDS,
  ...KNOWLEDGE,
  ...TEXT,
  ...OF_TASKS,
  ...GAMES,
  ...TOOLS,
};
