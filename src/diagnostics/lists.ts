/** Means, medians and ends of lists. */

/** 0 for an empty list. */
export function meanOf<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0) / Math.max(1, values.length);
}

/** The standard error of a mean of independent values; 0 for fewer than two. */
export function standardError(values: readonly number[]): number {
  const center = meanOf(values, (value) => value);
  const sum = values.reduce((total, value) => total + (value - center) ** 2, 0);
  return values.length < 2 ? 0 : Math.sqrt(sum / (values.length - 1) / values.length);
}

/** 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The newest entries in a row that pass a test, oldest first. */
export function newestWhile<T>(list: readonly T[], test: (value: T) => boolean): readonly T[] {
  let from = list.length;
  while (from > 0 && test(list[from - 1])) from--;
  return list.slice(from);
}

/** Adds at the end, and drops the oldest beyond `most`. */
export function pushBounded<T>(list: T[], value: T, most: number): void {
  list.push(value);
  if (list.length > most) list.shift();
}
