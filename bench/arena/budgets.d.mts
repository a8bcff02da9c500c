import type { differenceOf, Tested } from '../../packages/compare/statistics.ts';
import type { ArenaRecord } from './records.mts';

export interface BudgetPoint {
  readonly tokens: number;
  readonly own: number;
  readonly theirs: number;
  readonly difference: Tested;
}
type Curve = Pick<ArenaRecord, 'curve' | 'tokens'>;
export function overBudget(
  own: readonly Curve[],
  theirs: readonly Curve[],
  difference: typeof differenceOf,
): BudgetPoint[];
export function solvedAt(record: Pick<ArenaRecord, 'curve'>, tokens: number): number;
