/** What methods are written with, as a user's file has it from `rlvr-train/methods`: declarations, parts, records, statistics, options. */

export * from '../../../src/methods/chosen.ts';
export * from '../../../src/methods/method.ts';
export * from '../../../src/methods/points.ts';
export * from '../../../src/methods/prompt_sources/starved.ts';
export type * from '../../../src/methods/records.ts';
export * from '../../../src/methods/statistics.ts';
export * from '../../../src/methods/support/credit/baseline.ts';
export * from '../../../src/methods/support/rollouts/right.ts';
export * from '../../../src/methods/tokens.ts';
export * from '../../../src/methods/work.ts';
export type * from '../../../src/options/json.ts';
export * from '../../../src/options/keys.ts';
export * from '../../estimate/rows.ts';
export * from './support/credit/group_by_group.ts';
