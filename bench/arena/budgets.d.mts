import type { ArenaRecord } from './records.mts';

export interface BudgetPoint {
  readonly tokens: number;
  readonly own: number;
  readonly theirs: number;
  readonly difference: { readonly mean: number; readonly low: number; readonly high: number };
}
type Curve = Pick<ArenaRecord, 'curve' | 'tokens'>;
export function overBudget(own: readonly Curve[], theirs: readonly Curve[]): BudgetPoint[];
export function solvedAt(record: Pick<ArenaRecord, 'curve'>, tokens: number): number;
