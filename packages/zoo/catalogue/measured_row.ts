/** A row of a benchmark, as data that the build makes of the records, and in words. */

/** A row of a benchmark that is about a method. */
export interface MeasuredRow {
  /** The folder or file of the repository that has it. */
  readonly in: string;
  /** `countdown/on-policy/rloo`: task, block and row of the arena. */
  readonly row: string;
  readonly figure: string;
  readonly seeds: number;
  /** By how much it differs from what the row is compared with, as a share of the samples. */
  readonly value: number;
  /** 95 % interval, there where the benchmark gives one. */
  readonly low?: number;
  readonly high?: number;
}

/** `mean@16 +0.7 points (−0.8 to +2.2) in countdown/on-policy/rloo`. */
export function rowText({ row, figure, seeds, value, low, high }: MeasuredRow): string {
  const few = seeds === 1 ? 'one seed' : `${seeds} seeds`;
  const range = low === undefined || high === undefined ? few : `${points(low)} to ${points(high)}`;
  return `${figure} ${points(value)} points (${range}) in ${row}`;
}

function points(share: number): string {
  const text = Math.abs(100 * share).toFixed(1);
  return `${text === '0.0' ? '' : share < 0 ? '−' : '+'}${text}`;
}
