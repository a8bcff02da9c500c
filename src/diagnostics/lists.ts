/** Means of lists, and a list that forgets its oldest. */

/** 0 for an empty list. */
export function meanOf<T>(values: readonly T[], numberOf: (value: T) => number): number {
  return values.reduce((sum, value) => sum + numberOf(value), 0) / Math.max(1, values.length);
}

/** The standard error of a mean of independent values; 0 for fewer than two. */
export function standardError(values: readonly number[]): number {
  const center = meanOf(values, (value) => value);
  const sum = values.reduce((total, value) => total + (value - center) ** 2, 0);
  return values.length < 2 ? 0 : Math.sqrt(sum / (values.length - 1) / values.length);
}

/** Adds at the end, and drops the oldest beyond `most`. */
export function pushBounded<T>(list: T[], value: T, most: number): void {
  list.push(value);
  if (list.length > most) list.shift();
}
