/** The first item whose name an earlier one has; undefined where all differ. */
export function firstRepeated<T>(items: readonly T[], nameOf: (item: T) => string): T | undefined {
  const seen = new Set<string>();
  return items.find((item) => seen.size === seen.add(nameOf(item)).size);
}
