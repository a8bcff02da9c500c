/** What tasks are written with, as a user's file has it from `rlvr-train/tasks`: kinds of tasks, verdicts, drawn words and grids. */
export * from '../../../src/data/judge.ts';
export * from '../../../src/data/rotated.ts';
export type * from '../../../src/data/task.ts';
export { type Rng, rngFor } from '../../../src/kernels/philox.ts';
export * from '../../../src/parsing/trim_ascii.ts';
export * from '../../../src/rewards/reject.ts';
export type * from '../../../src/rewards/verdict.ts';
export * from './cells.ts';
export * from './environment_task.ts';
export * from './letters.ts';
export * from './line_task.ts';
export * from './near_misses.ts';
