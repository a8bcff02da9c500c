/** Types of statistics.mjs, for the tests. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly repeats: number;
}
export function mean(values: readonly number[]): number;
export function quantile(values: readonly number[], share: number): number;
export function summarize(values: readonly number[]): Spread;
export function slope(points: readonly (readonly [x: number, y: number])[]): number;
