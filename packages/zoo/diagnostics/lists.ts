/** Medians and ends of lists. */

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
