/** A list that begins with its second element: the same numbers in another order. */
export function rotated<T>([first, ...others]: readonly T[]): T[] {
  return first === undefined ? [] : [...others, first];
}
